from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, FileData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.split import PURPOSE_VALIDATION, split_rows

Loader = Callable[..., Dataset]

# the single feature of a row is its number, from 1
TRAIN = "".join(f"{'+1' if k % 4 == 0 else '-1'} 1:{k + 1}\n" for k in range(40))
TEST = "".join(f"{'+1' if k % 2 else '-1'} 1:{k + 101}\n" for k in range(20))


def rows(X: np.ndarray) -> list[int]:
    return X[:, 0].astype(int).tolist()


def test_held_out_rows_replace_the_test_rows(load_text: Loader) -> None:
    whole, data = load_text(TRAIN, TEST), load_text(TRAIN, TEST, validation_fraction=0.25, split_seed=3)
    train, held_out = split_rows(40, 10, 3, PURPOSE_VALIDATION)
    assert rows(data.X) == (train + 1).tolist()
    assert rows(data.X_test) == (held_out + 1).tolist()
    np.testing.assert_array_equal(data.y, whole.y[train])
    np.testing.assert_array_equal(data.y_test, whole.y[held_out])
    said = "none: train and test come apart; 10 of 40 training rows take the place of the test rows, Philox, seed 3"
    assert data.provenance["split"] == said
    assert data.provenance["counts"]["test"]["n"] == 10


def test_without_a_test_file_the_test_rows_are_not_used(load_text: Loader) -> None:
    whole = load_text(TRAIN, test_count=8, split_seed=1)
    data = load_text(TRAIN, test_count=8, split_seed=1, validation_fraction=0.25)
    assert sorted(rows(data.X) + rows(data.X_test)) == rows(whole.X)
    assert data.y_test.size == 8
    assert not set(rows(data.X_test)) & set(rows(whole.X_test))
    assert data.provenance["split"].startswith("32 train / 8 test rows drawn from one file, Philox, seed 1; 8 of 32")


def test_samples_are_drawn_before_from_the_training_rows_and_after_from_the_held_out_ones(load_text: Loader) -> None:
    sampled = load_text(TRAIN, TEST, max_train=20)
    data = load_text(TRAIN, TEST, max_train=20, validation_fraction=0.4, max_test=5)
    held_out = load_text(TRAIN, TEST, max_train=20, validation_fraction=0.4)
    assert sorted(rows(held_out.X) + rows(held_out.X_test)) == rows(sampled.X)
    assert (data.n, held_out.y_test.size, data.y_test.size) == (12, 8, 5)
    assert rows(data.X) == rows(held_out.X)
    assert set(rows(data.X_test)) < set(rows(held_out.X_test))
    said = "20 of 40 training rows, 5 of 8 test rows; shares of the classes kept, Philox, seed 0"
    assert data.provenance["sample"] == said


@settings(deadline=None, max_examples=50)
@given(
    st.integers(4, 60), st.floats(0.05, 0.95), st.integers(0, 2**64 - 1), st.none() | st.integers(4, 80), st.booleans()
)
def test_both_parts_together_are_the_training_rows(
    tmp_path_factory: pytest.TempPathFactory, n: int, share: float, seed: int, max_train: int | None, thin: bool
) -> None:
    spec = SyntheticData(n=n, n_test=7, d=3, split_seed=seed, max_train=max_train, storage="sparse" if thin else "auto")
    whole = load(spec, cache_dir=Path("unused"))
    inside = np.setdiff1d(np.arange(whole.n), held_out_rows(whole.n, share, seed))
    if inside.size in (0, whole.n) or np.unique(whole.y[inside]).size < 2:
        with pytest.raises(DataError, match=r"only one class|both parts need at least one row"):
            load(replace(spec, validation_fraction=share), cache_dir=Path("unused"))
        return
    data = load(replace(spec, validation_fraction=share), cache_dir=Path("unused"))
    assert data.y_test.size == int(whole.n * share + 0.5)
    both, all_rows = (
        {(tuple(row), int(label)) for X, y in parts for row, label in zip(dense(X), y.tolist(), strict=True)}
        for parts in ([(data.X, data.y), (data.X_test, data.y_test)], [(whole.X, whole.y)])
    )
    assert both == all_rows
    assert data.n + data.y_test.size == whole.n


def held_out_rows(n: int, share: float, seed: int) -> np.ndarray:
    count = int(n * share + 0.5)
    return split_rows(n, count, seed, PURPOSE_VALIDATION)[1] if 0 < count < n else np.arange(count)


def dense(X: object) -> list[list[float]]:
    return (X.toarray() if sparse.issparse(X) else X).tolist()  # type: ignore[attr-defined]


def test_scaling_uses_the_remaining_training_rows(load_text: Loader) -> None:
    seed = next(seed for seed in range(99) if 10 in split_rows(11, 3, seed, PURPOSE_VALIDATION)[1])
    text = "0 1:1\n1 1:2\n" * 5 + "0 1:9\n"
    data = load_text(text, "1 1:1\n", validation_fraction=0.3, scaling="minmax", split_seed=seed)
    assert (data.X.min(), data.X.max()) == (0, 1)
    assert data.X_test.max() == 8


def test_the_fingerprint_contains_it_only_if_set(load_text: Loader, tmp_path: Path) -> None:
    base = load_text(TRAIN, TEST)
    spec = FileData(train=str(tmp_path / "train.svm"), test=str(tmp_path / "test.svm"))
    assert fingerprint(spec) == base.fingerprint
    share = {"validation_fraction": 0.2}
    changes = [{}, share, {"validation_fraction": 0.3}, share | {"split_seed": 1}]
    assert len({fingerprint(replace(spec, **change)) for change in changes}) == len(changes)  # type: ignore[arg-type]
    assert load_text(TRAIN, TEST, validation_fraction=0.2).fingerprint == fingerprint(replace(spec, **share))  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan")])
def test_a_share_of_zero_or_one_is_refused(share: float) -> None:
    with pytest.raises(DataError, match=rf"dataset\.validation_fraction={share}: must lie between 0 and 1"):
        fingerprint(SyntheticData(d=2, validation_fraction=share))


def test_parts_that_cannot_be_trained_or_tested_on_are_refused(load_text: Loader) -> None:
    with pytest.raises(DataError, match="Cannot hold out 0 of 40 rows"):
        load_text(TRAIN, TEST, validation_fraction=0.001)
    with pytest.raises(DataError, match="training part: only one class"):
        load_text("1 1:1\n-1 1:2\n", TEST, validation_fraction=0.5)
