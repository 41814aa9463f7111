"""Checks PNG pictures and makes them small enough for a page or a repository."""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO

from PIL import Image

LIMIT = 300_000
"""Bytes; a picture in the repository has fewer."""

_COLOURS = (256, 64)
_GAIN = 4
"""With the fewest colours a picture has at least a fourth of its bytes; this program's figures have 26 to 30 %."""
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)


class PictureError(ValueError):
    """The bytes are not a PNG picture that can be decoded."""


def checked(png: bytes) -> bytes:
    """Return the bytes of a PNG picture unchanged, or raise PictureError if a pixel cannot be decoded."""
    _decoded(png)
    return png


def fitted(png: bytes, limit: int = LIMIT) -> bytes:
    """Make a picture smaller than a limit in bytes.

    First the number of colours is reduced, which hardly changes lines and letters; then, if needed, that of pixels.
    """
    if len(png) < limit:
        return png
    picture = _decoded(png)
    small, length = png, len(png) / _GAIN  # an estimate, until a picture is encoded
    if length < limit:
        for colours in _COLOURS:
            small = _encoded(picture, colours)
            if len(small) < limit:
                return small
        length = len(small)
    width, height = picture.size
    while len(small) >= limit and max(width, height) > 1:
        # Half the width leaves about 0.42 of the bytes: smoothed edges compress less well. At most 0.95 each time, so
        # that the loop ends.
        shrink = min(0.95, (limit / length) ** 0.8)
        width, height = max(1, int(width * shrink)), max(1, int(height * shrink))
        small = _encoded(picture.resize((width, height), Image.Resampling.LANCZOS), _COLOURS[-1])
        length = len(small)
    return small


def _decoded(png: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings(), Image.open(BytesIO(png), formats=["PNG"]) as image:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image.load()
            if image.mode == "RGB":
                return image.copy()
            clear = image.convert("RGBA")
            white = Image.new("RGBA", clear.size, "white")
            return Image.alpha_composite(white, clear).convert("RGB")
    except (*_DAMAGE, Image.DecompressionBombWarning) as error:
        raise PictureError("it is not a readable PNG picture") from error


def _encoded(picture: Image.Image, colours: int) -> bytes:
    # Without dithering, whose dots on even surfaces are ugly and compress badly.
    reduced = picture.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    stream = BytesIO()
    reduced.save(stream, format="PNG")
    return stream.getvalue()
