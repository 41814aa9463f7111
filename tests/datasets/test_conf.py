from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from svm_cost_curves.datasets import DatasetSpec, fingerprint, load
from svm_cost_curves.datasets.settings import check_spec
from svm_cost_curves.datasets.spec import WithFiles
from svm_cost_curves.datasets.transforms import row_norms

Compose = Callable[..., DatasetSpec]

FOLDER = Path(__file__).parents[2] / "conf" / "dataset"
NAMES = sorted(p.stem for p in FOLDER.glob("*.yaml"))


STAND_INS = {"covtype_subset", "mnist_elastic", "newsgroups_binary", "rcv1_ccat_subset"}
#: The file is not at hand, or it is packed in several ways: counts are verified instead of a checksum.
WITHOUT_CHECKSUM = (
    "astro_ph covtype news20 newsgroups_autos_motorcycles newsgroups_baseball_hockey newsgroups_binary "
    "newsgroups_christian_atheism newsgroups_mac_pc physics rcv1 rcv1_c11 rcv1_ccat real_sim reuters_acq reuters_earn "
    "reuters_grain webspam"
)
WITHOUT_ADDRESS = "astro_ph covtype_scaled covtype_subset phishing rcv1_ccat_subset splice svmguide1 svmlight_example1"


@pytest.mark.parametrize("name", NAMES)
def test_every_file_fits_the_schema_and_has_a_description(name: str, compose: Compose) -> None:
    words, shown = {
        "file": (["train=x"], "x"),
        "sklearn": (["entry=wine"], "sklearn:wine"),
        "openml": (["entry=a9a"], "openml:a9a"),
    }.get(name, ([], name))
    spec = compose(name, *words)
    check_spec(spec)
    assert spec.name == shown
    assert spec.description
    assert spec.source
    assert spec.licence
    assert (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").startswith("# ")
    assert bool(spec.stand_in) == (name in STAND_INS)
    if isinstance(spec, WithFiles):
        assert spec.d
        assert spec.expected_train.n
        for role, expected in (("train", spec.expected_train), ("test", spec.expected_test)):
            assert bool(spec.file(role)) == bool(expected.n)
            counted = sum(expected.classes.values()) == (expected.n or 0)
            assert counted or (name in WITHOUT_CHECKSUM.split() and not expected.classes)
        assert all(bool(f.sha256) == (name not in WITHOUT_CHECKSUM.split()) for f in spec.files)
        assert all(f.url.startswith("https://") or (name in WITHOUT_ADDRESS.split() and not f.url) for f in spec.files)


def test_fingerprints_differ_and_need_no_files(tmp_path: Path, compose: Compose) -> None:
    names = sorted(set(NAMES) - set(WITHOUT_CHECKSUM.split()) - {"file", "sklearn", "openml"})
    assert len({fingerprint(compose(n), cache_dir=tmp_path / "none") for n in names}) == len(names)
    assert not (tmp_path / "none").exists()
    one, other = compose("mnist"), compose("mnist", "positive=[0,1,2,3,4]", "negative=[5,6,7,8,9]")
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("adult", "2551ed31ccd14aa25c93a8fd1240146049a81b8d1147e17f3da1ac99e62bc22b"),
        ("covtype_subset", "b8ef576b936b10b0cda4aea1b066cd23821c06384359406476409677d0ef13b1"),
        ("digits", "b16250a4b2cc0491b21fbfcfbafd480bb7df123cf201e12d69a7133299072670"),
        ("mnist", "74bd81345879e6c12572946c8a734c113f1b717ae9cd97f4d5777a84b89ba8b9"),
        ("reuters_money_fx", "ad40b7ca0d9b76147f93269efcdb59161adbbc59f8c3c2ab4bfe48f8f973ab3d"),
    ],
)
def test_fingerprints_are_those_of_the_recorded_runs(name: str, recorded: str, compose: Compose) -> None:
    assert fingerprint(compose(name)) == recorded


def test_digits_loads_from_nothing(tmp_path: Path, compose: Compose) -> None:
    data = load(compose("digits"), cache_dir=tmp_path)
    assert (data.n, data.d, data.y_test.size) == (1258, 64, 539)
    assert (data.X.min(), data.X.max()) == (0, 1)
    assert int((data.y > 0).sum() + (data.y_test > 0).sum()) == 174
    assert data.fingerprint == fingerprint(compose("digits"))


SIZES = {
    "margin": (20000, 20),
    "noise": (20000, 20),
    "rare": (20000, 64),
    "wide": (1000, 2000),
    "low_norm": (4000, 500),
}


@pytest.mark.parametrize("name", SIZES)
def test_synthetic_sets_with_a_name_load(name: str, tmp_path: Path, compose: Compose) -> None:
    data = load(compose(f"synthetic_{name}"), cache_dir=tmp_path)
    assert data.X.shape == SIZES[name]
    assert 0.45 < (data.y > 0).mean() < 0.55
    lengths = row_norms(data.X)
    if name in ("rare", "low_norm"):
        assert lengths.max() == pytest.approx(1.0)
        # the squared spectral norm over n, by power iterations; it is 1/d at least where rows have length 1
        v = np.ones(data.d)
        for _ in range(30):
            v = data.X.T @ (data.X @ (v / np.linalg.norm(v)))
        sigma2 = np.linalg.norm(v) / data.n
        assert (sigma2 < 2 / 500) == (name == "low_norm")
