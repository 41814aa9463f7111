"""Whole numbers that become equal in float64: different labels are refused, different values of a feature warned of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from svm_cost_curves.datasets import DataError, FileData, load
from svm_cost_curves.datasets.readers import libsvm as libsvm_reader


def test_large_libsvm_files_keep_the_digits_of_their_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_reader, "_FAST_FROM", 0)
    (tmp_path / "x.svm").write_text("9007199254740992 1:1\n9007199254740993 1:2\n0 1:2\n")
    with pytest.raises(DataError, match="become equal in float64"):
        load(FileData(train=str(tmp_path / "x.svm")), cache_dir=tmp_path / "c")


def test_whole_numbers_that_become_equal_are_told_however_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,y\n9007199254740993.0,p\n9007199254740992,q\n1,p\n")
    table = load(FileData(train=str(tmp_path / "x.csv")), cache_dir=tmp_path / "c", note=print)
    assert any("such as 9007199254740992 and 9007199254740993" in text for text in table.provenance["warnings"])
    (tmp_path / "y.csv").write_text("a,y\n1,1e16\n2,10000000000000001\n3,5\n")
    with pytest.raises(DataError, match="10000000000000000 and 10000000000000001 become equal"):
        load(FileData(train=str(tmp_path / "y.csv")), cache_dir=tmp_path / "c")


LONG = [0, 2**53, 2**53 + 1]


def long_arff(folder: Path) -> Path:
    rows = "".join(f"'a, b',{k},{label}\n" for k, label in enumerate(LONG))
    (folder / "x.arff").write_text(
        f"@relation r\n@attribute c {{'a, b'}}\n@attribute a numeric\n@attribute y numeric\n@data\n% no row\n{rows}"
    )
    return folder / "x.arff"


def long_decimals(folder: Path) -> Path:
    labels = pa.array(LONG).cast(pa.decimal128(25, 0))
    pq.write_table(pa.table({"a": [0.0, 1.0, 2.0], "y": labels}), folder / "x.parquet")
    return folder / "x.parquet"


@pytest.mark.parametrize(("write", "drop"), [(long_arff, [0]), (long_decimals, [])])
def test_formats_with_types_keep_the_digits_of_their_labels(
    write: Callable[[Path], Path], drop: list[int], tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="the labels 9007199254740992 and 9007199254740993 become equal in float64"):
        load(FileData(train=str(write(tmp_path)), drop_columns=drop), cache_dir=tmp_path / "c")
