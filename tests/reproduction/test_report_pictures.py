from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from report_cases import png

from svm_cost_curves.experiments.reproduction.report.pictures import LIMIT, PictureError, checked, fitted, size


def test_a_picture_below_the_limit_is_unchanged() -> None:
    small = png()
    assert fitted(small) == small
    lines = png(900, 700)
    fewer = fitted(lines, limit=len(lines))
    assert len(fewer) < len(lines)
    assert size(fewer) == (900, 700)
    with Image.open(BytesIO(lines)) as before, Image.open(BytesIO(fewer)) as after:
        assert np.array_equal(np.asarray(before), np.asarray(after.convert("RGB")))


@pytest.mark.parametrize("limit", [80_000, 8_000, 500])
def test_noise_is_shrunk(limit: int) -> None:
    noise = png(420, 300, noise=True)
    assert len(noise) > LIMIT > limit
    small = fitted(noise, limit)
    width, height = size(small)
    assert len(small) < limit
    assert width < 420
    assert width / height == pytest.approx(1.4, rel=0.1)
    assert fitted(noise, limit) == small


def test_transparent_pixels_become_white() -> None:
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 60, 4), dtype=np.uint8))
    image.putalpha(0)
    stream = BytesIO()
    image.save(stream, format="PNG")
    with Image.open(BytesIO(fitted(stream.getvalue(), 2000))) as after:
        assert np.all(np.asarray(after.convert("RGB")) == 255)


@pytest.mark.parametrize("data", [b"", b"GIF89a", png()[:50], png()[:-30], b"\x89PNG\r\n\x1a\n" + b"0" * 99])
def test_bytes_that_are_not_a_picture_are_refused(data: bytes) -> None:
    with pytest.raises(PictureError):
        checked(data)
