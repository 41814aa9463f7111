from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from datasets import DatasetSpec, fingerprint, load
from datasets.spec import check_spec

Compose = Callable[..., DatasetSpec]

FOLDER = Path(__file__).parents[2] / "conf" / "dataset"
NAMES = sorted(p.stem for p in FOLDER.glob("*.yaml"))


def test_all_are_there() -> None:
    wanted = "adult covtype covtype_subset digits file ijcnn1 mnist reuters_money_fx synthetic web"
    assert wanted.split() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_file_fits_the_schema_and_says_what_it_is(name: str, compose: Compose) -> None:
    spec = compose(name, *(["train=x"] if name == "file" else []))
    check_spec(spec)
    assert spec.name == name
    assert spec.description
    assert spec.source
    assert spec.licence
    assert (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").startswith("# ")
    assert bool(spec.stand_in) == (name == "covtype_subset")
    if spec.kind == "published":
        assert spec.d
        assert spec.expected_train.n == sum(spec.expected_train.classes.values())
        assert sum(spec.expected_test.classes.values()) == (spec.expected_test.n or 0)
        assert all(f.sha256 or name == "covtype" for f in spec.files)
        assert all(f.url.startswith("https://") or name == "covtype_subset" for f in spec.files)


def test_fingerprints_differ_and_need_no_files(tmp_path: Path, compose: Compose) -> None:
    names = [n for n in NAMES if n not in ("covtype", "file")]
    assert len({fingerprint(compose(n), cache_dir=tmp_path / "none") for n in names}) == len(names)
    assert not (tmp_path / "none").exists()
    one, other = compose("mnist"), compose("mnist", "positive=[0,1,2,3,4]", "negative=[5,6,7,8,9]")
    assert fingerprint(one) != fingerprint(other)


def test_digits_loads_from_nothing(tmp_path: Path, compose: Compose) -> None:
    data = load(compose("digits"), cache_dir=tmp_path)
    assert (data.n, data.d, data.y_test.size) == (1258, 64, 539)
    assert (data.X.min(), data.X.max()) == (0, 1)
    assert int((data.y > 0).sum() + (data.y_test > 0).sum()) == 174
    assert data.fingerprint == fingerprint(compose("digits"))


@pytest.mark.parametrize("shape", ["separable", "noisy", "margin"])
def test_synthetic_loads(tmp_path: Path, shape: str, compose: Compose) -> None:
    data = load(compose("synthetic", f"shape={shape}"), cache_dir=tmp_path)
    assert data.X.shape == (1000, 20)
    assert data.X_test.shape == (500, 20)
