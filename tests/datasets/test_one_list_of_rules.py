"""The rules of docs/datasets.md: the same content, written in every format, has the same outcome."""

from __future__ import annotations

import bz2
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, FileData, load
from svm_cost_curves.experiments.run.arrays import _parts

RANDOM = np.random.default_rng(3)


N = 40


PLAIN = pd.DataFrame({"a": RANDOM.normal(size=N), "b": RANDOM.integers(0, 5, N), "y": np.arange(N) % 2})


Writer = Callable[[Path, pd.DataFrame], Path]


def frame(**columns: Any) -> pd.DataFrame:
    """The plain table with other or further columns; the label stays last."""
    made = PLAIN.assign(**columns)
    return made[[*(name for name in made.columns if name != "y"), "y"]]


def text(separator: str, name: str = "x.csv", **options: Any) -> Writer:
    def write(folder: Path, table: pd.DataFrame) -> Path:
        table.to_csv(folder / name, sep=separator, index=False, **options)
        return folder / name

    return write


def parquet(folder: Path, table: pd.DataFrame) -> Path:
    table.to_parquet(folder / "x.parquet", index=False)
    return folder / "x.parquet"


def arrays(folder: Path, table: pd.DataFrame) -> Path:
    np.savez(folder / "x.npz", X=table.iloc[:, :-1].to_numpy(float), y=table["y"].to_numpy())
    return folder / "x.npz"


def sparse_arrays(folder: Path, table: pd.DataFrame) -> Path:
    X = sparse.csr_matrix(table.iloc[:, :-1].to_numpy(float))
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(folder / "s.npz", y=table["y"].to_numpy(), **parts)
    return folder / "s.npz"


def given(folder: Path, table: pd.DataFrame) -> Path:
    """As `experiments.run` passes a DataFrame on."""
    np.savez(folder / "given.npz", allow_pickle=False, **_parts(table.iloc[:, :-1], table["y"], ""))
    return folder / "given.npz"


def libsvm(folder: Path, table: pd.DataFrame) -> Path:
    rows = (
        " ".join([repr(label), *(f"{k}:{value!r}" for k, value in enumerate(row, start=1) if value != 0)])
        for *row, label in table.astype(float).to_numpy().tolist()
    )
    (folder / "x.svm").write_text("\n".join(rows))
    return folder / "x.svm"


def arff(folder: Path, table: pd.DataFrame) -> Path:
    head = "".join(f"@attribute c{k} numeric\n" for k in range(table.shape[1]))
    rows = table.astype(float).to_csv(index=False, header=False, na_rep="?")
    (folder / "x.arff").write_text(f"@relation r\n{head}@data\n{rows}")
    return folder / "x.arff"


NUMERIC: dict[str, Writer] = {
    "csv": text(","),
    "semicolons": text(";", "x.csv"),
    "tabs in csv": text("\t", "x.csv"),
    "commas in tsv": text(",", "x.tsv"),
    "bars": text("|", "x.data"),
    "blanks": text(" ", "x.CSV", na_rep="NA"),
    "no header": text(",", header=False),
    "packed": text("\t", "x.csv.GZ", compression="gzip"),
    "utf-16": text(",", encoding="utf-16"),
    "byte-order mark": text(",", encoding="utf-8-sig"),
    "quoted": text(",", quoting=1),
    "old line ends": text(",", lineterminator="\r"),
    **{"parquet": parquet, "npz": arrays, "sparse npz": sparse_arrays, "frame": given},
    **{"libsvm": libsvm, "arff": arff},
}


NAMED = {name: NUMERIC[name] for name in ("csv", "semicolons", "tabs in csv", "utf-16", "parquet", "frame")}
"""Formats with names of columns and labels that are texts."""


def loaded(write: Writer, table: pd.DataFrame, folder: Path, **fields: Any) -> Dataset:
    spec = FileData(train=str(write(folder, table)), test_fraction=0.25, **fields)
    return load(spec, cache_dir=folder / "cache")


def same(one: Dataset, other: Dataset) -> None:
    for name in ("X", "X_test", "y", "y_test"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("format", NUMERIC)
def test_the_same_numbers_are_the_same_arrays(format: str, tmp_path: Path) -> None:
    data = loaded(NUMERIC[format], PLAIN, tmp_path)
    same(data, loaded(arrays, PLAIN, tmp_path))
    assert data.provenance["warnings"] == []
    for part in (data.X, data.X_test):
        assert part.dtype == np.float32
        assert not np.signbit(np.asarray(part)[np.asarray(part) == 0]).any()


LATE = 1_764_000_000 + np.arange(N) * 17 % 41


OUTCOMES: dict[str, tuple[pd.DataFrame, str]] = {
    "missing": (frame(a=PLAIN.a.where(PLAIN.index % 9 > 0)), "refused: 5 values are missing"),
    "one missing": (frame(a=PLAIN.a.where(PLAIN.index != 7)), "refused: the value is missing"),
    "infinite": (frame(a=PLAIN.a.where(PLAIN.index != 7, np.inf)), "refused: is inf"),
    "too large": (frame(a=PLAIN.a * 1e39), "refused: fit in float32"),
    "no label": (frame(y=np.where(PLAIN.index == 7, np.nan, PLAIN.y)), "refused: label is missing"),
    "infinite label": (frame(y=np.where(PLAIN.index == 7, np.inf, PLAIN.y)), "refused: the label of row"),
    "one class": (frame(y=1), "refused: only one class"),
    "three classes": (frame(y=np.arange(N) % 3), "refused: 3 different labels"),
    "equal in float32": (frame(a=LATE), "warned: different values become"),
    "all equal in float32": (frame(a=LATE, b=1), "refused: all are equal when"),
    "coarse in float32": (frame(a=80_000 + RANDOM.permutation(N) * 0.1013), "warned: rounding to float32"),
    "small": (frame(a=PLAIN.a * 1e-24, b=PLAIN.b * 1e-25), "warned: products are near 0"),
    "row numbers": (frame(a=np.arange(N)), "warned: each number from 0 to 39 once"),
    "row numbers from 1": (frame(a=RANDOM.permutation(N) + 1), "warned: each number from 1 to 40 once"),
    "-999": (frame(b=np.where(PLAIN.index % 9 > 0, PLAIN.b + 1, -999)), "warned: is -999 in 5 rows"),
    "another unit": (frame(b=PLAIN.b * 1e4, c=RANDOM.normal(size=N)), "warned: decides distances nearly alone"),
    "constant": (frame(b=7), "loaded"),
    "negative zero": (frame(b=np.where(PLAIN.b > 2, PLAIN.b, -0.0)), "loaded"),
    "true and false": (frame(b=PLAIN.b > 2), "loaded"),
    "labels 1 and 2": (frame(y=1 + PLAIN.y), "loaded"),
    "labels of floats": (frame(y=PLAIN.y - 0.5), "loaded"),
}


def outcome(write: Writer, table: pd.DataFrame, folder: Path) -> tuple[str, Dataset | None]:
    try:
        data = loaded(write, table, folder)
    except DataError as error:
        return f"refused: {error}", None
    return " ".join(["warned:", *warned]) if (warned := data.provenance["warnings"]) else "loaded", data


@pytest.mark.parametrize("content", OUTCOMES)
@pytest.mark.parametrize("format", NUMERIC)
def test_the_same_content_has_the_same_outcome(format: str, content: str, tmp_path: Path) -> None:
    table, expected = OUTCOMES[content]
    end, data = outcome(NUMERIC[format], table, tmp_path)
    kind, _, said = expected.partition(": ")
    assert end.startswith(kind)
    assert said in end
    if data is not None:
        again = outcome(arrays, table, tmp_path)[1]
        assert again is not None
        same(data, again)


CLASSES = np.where(PLAIN.y > 0, "yes", "no")


BY_NAME: dict[str, tuple[pd.DataFrame, str]] = {
    "texts": (frame(y=CLASSES), "loaded"),
    "blanks around labels": (frame(y=[f"{name}{' ' * (k % 2)}" for k, name in enumerate(CLASSES)]), "loaded"),
    "true and false": (frame(y=PLAIN.y > 0), "loaded"),
    "none as a class": (frame(y=np.where(PLAIN.y > 0, "glitch", "none")), "warned: label none counts as a class"),
    "NA beside two": (frame(y=np.where(PLAIN.index == 7, "NA", CLASSES)), "refused: If NA is a missing label"),
    "label empty": (frame(y=np.where(PLAIN.index == 7, "", CLASSES)), "refused: the label is missing"),
    "label ?": (frame(y=np.where(PLAIN.index % 9 > 0, CLASSES, "?")), "refused: the label is missing, as in 4 more"),
    "alike": (frame(y=np.where(PLAIN.y > 0, "Spam", "spam")), "warned: labels Spam and spam are different classes"),
    "both signs": (frame(a=["1,234"] * N), "refused: write 1234 if commas separate thousands, or 1.234 if the comma"),
    "decimal comma": (frame(a=["1.234,5"] * N), "refused: write 1234.5"),
    "groups": (frame(a=["1 234"] * N), "refused: write 1234"),
    "a text": (frame(a=["rome"] * N), "refused: column 0 ('a'): 'rome' is not a number"),
    "names twice": (PLAIN.set_axis(["u", "u", "y"], axis=1), "loaded"),
    "no name": (PLAIN.set_axis(["a", "", "y"], axis=1), "loaded"),
    "names of columns": (frame(a=LATE), "warned: column 0 ('a'): "),
}


@pytest.mark.parametrize("content", BY_NAME)
@pytest.mark.parametrize("format", NAMED)
def test_names_and_texts_have_the_same_outcome(format: str, content: str, tmp_path: Path) -> None:
    table, expected = BY_NAME[content]
    if format == "parquet" and not table.columns.is_unique:
        pytest.skip("pandas does not write it")
    end, data = outcome(NAMED[format], table, tmp_path)
    kind, _, said = expected.partition(": ")
    assert end.startswith(kind)
    assert said in end
    if data is not None:
        again = outcome(given, table, tmp_path)[1]
        assert again is not None
        same(data, again)


@pytest.mark.parametrize("numbers", [np.arange(N), np.arange(1, N + 1), RANDOM.permutation(3 * N)[:N]])
@pytest.mark.parametrize("name", ["", "Unnamed: 0", "__index_level_0__"])
@pytest.mark.parametrize("format", NAMED)
def test_numbers_of_rows_without_a_name_of_their_own_are_left_out(
    format: str, name: str, numbers: np.ndarray, tmp_path: Path
) -> None:
    table = PLAIN.copy()
    table.insert(0, name, numbers)
    data = loaded(NAMED[format], table, tmp_path)
    same(data, loaded(arrays, PLAIN, tmp_path))
    (warning,) = data.provenance["warnings"]
    assert f"numbers the rows ({numbers.min()} to {numbers.max()})" in warning
    assert loaded(NAMED[format], table, tmp_path).provenance["warnings"] == [warning], "also from the prepared cache"
    table.insert(0, "kept", table.pop(name))
    assert loaded(NAMED[format], table, tmp_path).d == 3


@pytest.mark.parametrize(
    "word", ["", "NA", "nan", "NaN", "N/A", "null", "None", "?", "-", ".", "#N/A", "<NA>", "1.#QNAN"]
)
@pytest.mark.parametrize("format", ["csv", "tabs in csv", "no header", "quoted"])
def test_words_for_missing_values(format: str, word: str, tmp_path: Path) -> None:
    table = frame(a=[word if k == 7 else value for k, value in enumerate(PLAIN.a)])
    end, _ = outcome(NUMERIC[format], table, tmp_path)
    assert "the value is missing" in end
    assert f"line {8 + (format != 'no header')}, column 0" in end


BODY = "".join(f"{a!r},{b},{y}\n" for a, b, y in PLAIN.astype(float).to_numpy().tolist())


@pytest.mark.parametrize(
    "content",
    [
        f"# made by hand\n\n{BODY}",
        f"# a,b,y\n{BODY}",  # as numpy.savetxt writes a header
        f"sep=,\na,b,y\n{BODY}",
        "0,1,2\n" + BODY.replace(".0\n", "0\n"),  # as pandas numbers columns; labels 00 and 10
        "a,b,y\n" + BODY.replace("\n", ",\n"),
        "a,b,y,\n" + BODY.replace("\n", ",\n"),
        BODY.replace("\n", ",\n"),
        "".join(f"{line}{end}" for line, end in zip(BODY.splitlines(), ["\r\n", "\n", "\r", "\n\n"] * N, strict=False)),
        BODY + "# the end\n",
        '"a" "b" "y"\n' + "".join(f'"{k}" {line}\n' for k, line in enumerate(BODY.replace(",", " ").splitlines(), 1)),
        BODY.replace(",", ",\t"),
        BODY.replace(",", "  "),
    ],
)
def test_forms_of_a_table(content: str, tmp_path: Path) -> None:
    def write(folder: Path, _: pd.DataFrame) -> Path:
        (folder / "x.csv").write_text(content, newline="")
        return folder / "x.csv"

    same(loaded(write, PLAIN, tmp_path), loaded(arrays, PLAIN, tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", "a,b,y\n1,2,0\n#3,4,1\n", "line 3: this may be a comment or a row that begins with #"),
        ("x.csv", "1 1:0.5 2:1\n0 1:2 2:1\n", "if the file is LIBSVM text, set dataset.format=libsvm"),
        ("x.txt", "a,b,y\n1,2,0\n", "If the file is a table of columns, set dataset.format=csv"),
        ("x.txt", "1,2 1:3\n", "several labels of a row are not read"),
        ("x.svm", "1 1:1,5\n0 1:2\n", "the value of index 1, '1,5' is not a number: write 1.5"),
        ("x.svm", "true 1:1\nfalse 1:2\n", "the label 'true' is not a number: write 1 for true and 0 for false"),
        ("x.svm", "1 1:False\n0 1:2\n", "the value of index 1, 'False' is not a number: write 1 for true and 0 for f"),
        ("x.svm", "9007199254740992 1:1\n9007199254740993 1:2\n0 1:2\n", "992 and 9007199254740993 become equal"),
        ("x.svm", "9007199254740992 1:1\n9.007199254740993e15 1:2\n", "become equal in float64.* as smaller numbers"),
        (
            "x.csv",
            "a;b;y\n1;1.234;0\n2;123,5;1\n",
            "write 123.5; if the point in 1.234 separates thousands, wr",
        ),
        ("x.csv", "a;b;y\n1;1.234;0\n2;1.234.567;1\n", "write 1234567; if the point in 1.234"),
        ("x.svm", "1 1:NA\n0 1:2\n", "row 1, index 1: the value is missing"),
        ("x.svm", "? 1:1\n0 1:2\n", "line 1: the label is missing"),
        ("x.csv", "1\0,\0002\0", "has zero bytes and so is no text"),
        ("x.svm", "PAR1", "is not text, but a Parquet file; set dataset.format=parquet"),
        ("x.csv", "PK\x03\x04", "is not text, but a zip archive"),
        ("x.csv", "a,y\n1,p\n2,p\n3,NA\n4,q\n", r"label NA may be a class, or a missing label"),
    ],
)
def test_a_file_that_may_mean_two_things_is_told_both(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=said):
        load(FileData(train=str(tmp_path / name), positive=["p"] if "NA" in said else None), cache_dir=tmp_path / "c")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("1.234", "7"), True),
        (("-12.000", "999"), True),
        (("1.234", "1.5"), False),
        (("1.234", "1000"), False),
        (("0.125", "7"), False),
        (("1.234", "2.345"), False),
    ],
)
def test_a_point_that_may_separate_thousands_is_told(cells: tuple[str, str], told: bool, tmp_path: Path) -> None:
    table = frame(b=[*cells] * (N // 2))
    warnings = loaded(text(";"), table, tmp_path).provenance["warnings"]
    assert any("if it separates thousands, write 1234" in one for one in warnings) == told


@pytest.mark.parametrize("kind", ["int64", "int8", "uint64", "bool", "decimal"])
def test_missing_values_of_parquet_are_counted_whatever_the_column_s_type(kind: str, tmp_path: Path) -> None:
    type_ = pa.decimal128(25, 2) if kind == "decimal" else pa.type_for_alias(kind)
    a = pa.array([0, None, 1, None] * (N // 4)).cast(type_)
    pq.write_table(pa.table({"a": a, "b": PLAIN.a, "y": PLAIN.y}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"20 values are missing .* the first in row 2: 20 in column 0 \('a'\)"):
        load(FileData(train=str(tmp_path / "x.parquet")), cache_dir=tmp_path / "c")


def test_a_date_of_parquet_is_shown_where_the_first_one_is_missing(tmp_path: Path) -> None:
    dates = pa.array([None, 1] * (N // 2), pa.date32())
    for cells, shown in ((dates, "'1970-01-02' is not a number"), (pa.nulls(N, pa.date32()), r"column 0 \('a'\)")):
        pq.write_table(pa.table({"a": cells, "y": PLAIN.y}), tmp_path / "x.parquet")
        with pytest.raises(DataError, match=shown):
            load(FileData(train=str(tmp_path / "x.parquet")), cache_dir=tmp_path / "c")


def test_libsvm_with_comments_queries_and_any_order_is_the_same(tmp_path: Path) -> None:
    rows = [line.split() for line in libsvm(tmp_path, PLAIN).read_text().splitlines()]
    lines = [" ".join([row[0], "qid:1", *reversed(row[1:]), "# a comment"]) for row in rows]

    def write(folder: Path, _: pd.DataFrame) -> Path:
        (folder / "x.libsvm.bz2").write_bytes(bz2.compress("\r\n".join(lines).encode("utf-16")))
        return folder / "x.libsvm.bz2"

    same(loaded(write, PLAIN, tmp_path), loaded(arrays, PLAIN, tmp_path))


@pytest.mark.parametrize("scaling", ["minmax", "standard"])
@pytest.mark.parametrize("format", NUMERIC)
def test_scaling_comes_before_the_conversion_to_float32(format: str, scaling: str, tmp_path: Path) -> None:
    table = frame(a=LATE)
    data = loaded(NUMERIC[format], table, tmp_path, scaling=scaling)
    assert not [text for text in data.provenance["warnings"] if "float32" in text]
    everything = np.concatenate([data.X, data.X_test])
    assert np.unique(everything[:, 0]).size == np.unique(LATE).size
    small = loaded(NUMERIC[format], frame(a=LATE - 1_764_000_000), tmp_path, scaling=scaling)
    np.testing.assert_allclose(data.X, small.X, rtol=1e-6, atol=1e-6)


def test_features_that_all_become_equal_are_refused_in_the_user_s_terms(tmp_path: Path) -> None:
    table = pd.DataFrame({"time": LATE % 60 + 1_764_000_000, "y": PLAIN.y})
    with pytest.raises(DataError, match=r"the features differ between rows, and all are equal when .* to float32"):
        loaded(text(","), table, tmp_path)
    assert loaded(text(","), table, tmp_path, scaling="standard").d == 1
    read = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    assert read.time.nunique() > 1


def test_the_rules_are_in_the_documents() -> None:
    written = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    rules: Sequence[str] = [line for line in written.splitlines() if line.startswith("| ")]
    for subject in (
        "byte-order mark",
        "missing features",
        "missing labels",
        "numbers of rows",
        "separators",
        "comments",
    ):
        assert any(line.startswith(f"| {subject}") for line in rules), subject
