"""Tables: CSV, ARFF and Parquet."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from svm_cost_curves.datasets import DataError, Dataset, FileData, load
from svm_cost_curves.datasets.readers.arff import read_arff
from svm_cost_curves.datasets.readers.arrays import features_of, labels_of, read_npz
from svm_cost_curves.datasets.readers.tables import read_csv, read_parquet

Loader = Callable[..., Dataset]
MATRICES = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(2, 5)),
    elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
)
ROWS = "u,v,class\n" + "".join(f"{k},{-k},{'spam' if k % 3 else 'ham'}\n" for k in range(10))
MAIL = "city;length;age;class\nrome;1.5;30;ham\noslo;;31;spam\n"


@settings(deadline=None)
@given(MATRICES, st.data())
def test_csv_round_trip(values: np.ndarray, data: st.DataObject) -> None:
    width = values.shape[1]
    column = data.draw(st.integers(-width, width - 1))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    separator = data.draw(st.sampled_from([",", ", ", ";", "\t", "  "]))
    header = data.draw(st.booleans())
    lines = [separator.join(f"c{k}" for k in range(width))] if header else []
    lines += [separator.join(repr(float(v)) for v in row) for row in values]
    label = f"c{column % width}" if header and data.draw(st.booleans()) else column
    table = read_csv((end.join(lines) + data.draw(st.sampled_from(["", end]))).encode(), "x", label)
    np.testing.assert_array_equal(table.X, np.delete(values, column, axis=1))
    np.testing.assert_array_equal(table.y, values[:, column])
    assert table.X.dtype == np.float64


@settings(deadline=None)
@given(MATRICES)
def test_arff_round_trip(values: np.ndarray) -> None:
    head = "".join(f"@attribute f{k} real\n" for k in range(values.shape[1]))
    rows = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    for label, column in ((-1, -1), (0, "f0")):
        table = read_arff(f"@relation r\n{head}@data\n{rows}\n".encode(), "x", column)
        np.testing.assert_array_equal(table.X, np.delete(values, label, axis=1))
        np.testing.assert_array_equal(table.y, values[:, label])


def test_parquet_and_csv_are_the_same_data(load_text: Loader, tmp_path: Path) -> None:
    frame = pd.read_csv(io.StringIO(ROWS))
    frame[frame.u >= 0].to_parquet(tmp_path / "plain.parquet")
    frame.sample(frac=1, random_state=0).sort_index().to_parquet(tmp_path / "indexed.parquet")  # keeps row numbers
    expected = load_text(ROWS, ROWS, suffix=".csv")
    for name in ("plain", "indexed"):
        path = str(tmp_path / f"{name}.parquet")
        data = load(FileData(train=path, test=path, label_column="class"), cache_dir=tmp_path / "c")
        np.testing.assert_array_equal(data.X, expected.X)
        np.testing.assert_array_equal(data.y, expected.y)
        assert data.name == name


def test_csv_reads_quotes_blank_lines_and_a_byte_order_mark() -> None:
    table = read_csv(b'\xef\xbb\xbf\r\n"income","a"\r\n\r\n"1", 2\r\n 0 ,3', "x", "income")
    np.testing.assert_array_equal(table.X, [[2], [3]])
    np.testing.assert_array_equal(table.y, [1, 0])


def test_columns_that_are_no_features() -> None:
    text = b"7\t1\t0.5 2 \n 8\t0\t-1\t3\n"
    table = read_csv(text, "x", 1, [0])
    np.testing.assert_array_equal(table.X, [[0.5, 2], [-1, 3]])
    np.testing.assert_array_equal(table.y, [1, 0])
    np.testing.assert_array_equal(read_csv(text, "x", 1, [0, -1]).X, [[0.5], [-1]])
    table = read_csv(b"name,u,y\nx y,2,10\nz,3,9\n", "f", "y", [0])  # a dropped column may hold texts
    np.testing.assert_array_equal(table.X, [[2], [3]])
    assert (table.y.tolist(), table.classes) == ([10, 9], ())


@pytest.mark.parametrize(
    ("text", "rows", "classes"),
    [
        ("1,2,a\n3,4,b\n5,6,a\n", 3, ("a", "b")),  # no header
        ("0,1,class\n1,2,1\n3,4,2\n", 2, ()),  # a header of numbers and a name
        ("u,v,class\n1,2,a\n3,4,b\n", 2, ("a", "b")),
        ("1 2 a\n3 4 b\n5 6 a\n", 3, ("a", "b")),
        ("", 0, ()),
        ("\n\n", 0, ()),
        ("a,b\n\n", 0, ()),
    ],
)
def test_header_or_row(text: str, rows: int, classes: tuple[str, ...]) -> None:
    table = read_csv(text.encode(), "x")
    assert (table.y.size, table.classes) == (rows, classes)


@pytest.mark.parametrize(
    ("content", "column", "dropped", "said"),
    [
        (b"1 2 a\n3 4 b\n", -1, [], "line 1: this may be a header or a row, as its label 'a'"),
        (b"1,2,1\n3\n", -1, [], "line 2: 1 cell where the first line has 3"),
        (b"1,2,1\n3,4\n", -1, [], "line 2: 2 cells where the first line has 3"),
        (b"1,2,1\n3,4,5,6\n", -1, [], "line 2: 4 cells where the first line has 3"),
        (b"a,b\n1,2,3\n", -1, [], "line 2: 3 cells where the first line has 2"),
        (b"7 1 2 3\n8 0 1\n", 1, [0], "line 2: 3 cells where the first line has 4"),
        (b"1,2,1\n\n3,x,1\n", -1, [], r"line 3, column 1: 'x' is not a number; .* by dataset.drop_columns=\[1\]"),
        (b"1,2,1\n3,,1\n", -1, [], "line 2, column 1: the value is missing .*; fill it in, or remove the row"),
        (b"a,b,c\n1,2,1\n3,1_0,1\n", -1, [], r"line 3, column 1 \('b'\): '1_0' is not a number"),
        (b"a,b\n1,2\n", "income", [], "no column is called 'income'; the header's names: a, b"),
        (b"1,2\n", "income", [], "the file has no header"),
        (b"1,2\n", 2, [], r"label_column=2, but the file has 2 columns \(0 to 1\)"),
        (b"7 1 2 3\n", 1, [-3], "column 1 holds the label and cannot be dropped"),
        (b"7 1 2 3\n", 1, [4], "drop_columns=4, but the file has 4 columns"),
        (b"u,u\n1,2\n", "u", [], "more than one column is called 'u'"),
        (b"u,class\n1,\xe9\n2,b\n", -1, [], "line 2, column 1 .* is not UTF-8"),
        (b"u,class\n1,\n2,b\n", -1, [], "line 2, column 1 .*: the label is missing"),
        (b"1," + b"x" * 140_000 + b"\n", -1, [], "line 1: field larger than field limit"),
    ],
)
def test_malformed_csv(content: bytes, column: int | str, dropped: list[int], said: str) -> None:
    with pytest.raises(DataError, match=rf"x\.csv.*{said}") as caught:
        read_csv(content, "x.csv", column, dropped)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            MAIL,
            "line 2, column 0 ('city'): 'rome' is not a number; leave the column out by "
            "dataset.drop_columns=[0], or, if it is the label, choose it by dataset.label_column=city",
        ),
        (MAIL.replace(";", ","), "line 2, column 0 ('city'): 'rome' is not a number"),
        ("u,v,class\n1,2,a\n2,NA,b\n", "line 3, column 1 ('v'): the value is missing"),
        ("u,v,class\n1,2,a\n2,nan,b\n", "line 3, column 1 ('v'): the value is missing"),
        (
            "u;v;class\n1,5;2;a\n2;3;b\n",
            "line 2, column 0 ('u'): '1,5' is not a plain number: write 1.5; if the point in 1.234 ",
        ),
        (
            "0,1.5,2.5\n1,2.5,3.5\n0,1.5,4.5\n",
            "3 different labels (2.5, 3.5, 4.5); two are needed: choose by dataset.positive=[4.5] and, if wanted, "
            "dataset.negative=[...]. If the label is another column, choose it by dataset.label_column=NAME",
        ),
    ],
)
def test_a_message_has_the_setting_that_helps(text: str, said: str, load_text: Loader) -> None:
    with pytest.raises(DataError) as caught:
        load_text(text, suffix=".csv")
    assert said in str(caught.value)


def test_the_settings_of_the_messages_help(load_text: Loader) -> None:
    for text in (MAIL, MAIL.replace(";", ",")):
        data = load_text(text, text, suffix=".csv", drop_columns=[0, 1])
        np.testing.assert_array_equal(data.X, [[30], [31]])
    data = load_text("class,u\nham,1\nspam,2\n", "class,u\nham,1\n", suffix=".csv", label_column="class")
    np.testing.assert_array_equal(data.y, [-1, 1])


HEAD = """% a comment
@relation r
@attribute age numeric
@ATTRIBUTE works {no, yes}
@attribute class {big,small}
@data
"""


def test_texts_as_labels_and_columns_left_out_of_arff(load_text: Loader) -> None:
    text = HEAD + "30,yes,small\n40,no,big\n50,no,small\n60,yes,big\n"
    data = load_text(text, text, suffix=".arff", drop_columns=[1])
    np.testing.assert_array_equal(data.X[:, 0], [30, 40, 50, 60])
    np.testing.assert_array_equal(data.y, [1, -1, 1, -1])  # small is the later one in the alphabet
    assert data.provenance["label_rule"] == "column 2 ('class'): small is +1, big is -1"


@pytest.mark.parametrize(
    ("rows", "fields", "said"),
    [
        ("30,yes,small\n", {}, r"column 1 \('works'\): 'yes' is not a number; .*dataset.drop_columns=\[1\]"),
        (
            "30,yes,big\n30,yes,huge\n",
            {},
            "row 2: not a readable ARFF file: a cell is not of the kind .*huge",
        ),
        ("30,yes,big\n% x\n1'000,no,big\n", {}, "row 2: not a readable ARFF file: .* '1'000,no,big'"),
        ("30,yes\n", {}, "row 1: 2 cells, and the header has 3 attributes"),
        ("30,yes,small\n40,'no',\"big\",5\n", {}, "row 2: 4 cells, and the header has 3 attributes"),
        ("{0 30, 2 small}\n", {}, "sparse ARFF, which is not read; save it as LIBSVM text"),
        ("?,yes,small\n40,no,big\n", {"drop_columns": [1]}, "row 1, column 0 .*: the value is missing .*fill it in"),
        ("30,yes,?\n40,no,big\n", {"drop_columns": [1]}, "row 1: the label is missing.*; remove the row"),
        ("30,yes,small\n", {"label_column": "klass"}, "no column is called 'klass'; the header's names: age, works"),
    ],
)
def test_malformed_arff(rows: str, fields: dict[str, object], said: str, load_text: Loader) -> None:
    with pytest.raises(DataError, match=said):
        load_text(HEAD + rows, suffix=".arff", **fields)


def parquet(columns: dict[str, object]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"u": [1, None], "y": [0, 1]}, "row 2, column 0 .*u.*: the value is missing"),
        ({"u": ["7", "8"], "y": [0, 1]}, r"row 1, column 0 \('u'\): '7' is a text; save the column as numbers"),
        ({"u": [1, 2], "y": ["a", None]}, r"column 1 \('y'\), row 2: the label is missing"),
        ({"u": [[1], [2]], "y": [0, 1]}, r"row 1, column 0 \('u'\): '\[1\]' is not a number"),
        ({"u": [1, 2], "y": [b"a", b"b"]}, r"column 1 \('y'\), row 1: the label b'a' is neither"),
    ],
)
def test_parquet_that_is_refused(load_text: Loader, columns: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        load_text(parquet(columns), suffix=".parquet")


def test_damaged_parquet_is_refused() -> None:
    content = parquet({"u": [1.0, 2.0], "y": [0, 1]})
    for damaged in (content[:-9], b"PAR1", b"", content.replace(b"PAR1", b"PAR2")):
        with pytest.raises(DataError, match="not a readable Parquet file"):
            read_parquet(damaged, "x")


@pytest.mark.parametrize("kind", ['date "yyyy-MM-dd"', "relational\n@attribute q real\n@end t"])
def test_arff_dates_and_tables_are_no_numbers(kind: str) -> None:
    cell = "2020-01-02" if kind.startswith("date") else "'1'"
    text = f"@relation r\n@attribute t {kind}\n@attribute y real\n@data\n{cell},1\n{cell},0\n"
    with pytest.raises(DataError, match=r"row 1, column 0 \('t'\): .* is not a number"):
        read_arff(text.encode(), "x")


@pytest.mark.parametrize("kind", [pa.time64("ns"), pa.duration("ns"), pa.duration("s")])
def test_parquet_times_are_no_numbers(kind: pa.DataType) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"t": pa.array([1, 2], kind), "y": [0, 1]}), file)
    with pytest.raises(DataError, match=r"row 1, column 0 \('t'\): .* is not a number"):
        read_parquet(file.getvalue(), "x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1:2:1\n3:4:0\n", "line 1: one column.*separators are tab, semicolon, comma, bar and white space"),
        ("My table\n\na,b,y\n1,2,1\n3,4,0\n", "line 3: 3 cells where the first line has 1; if line 1 is a title"),
        ("Of 2020, by me\n1\t2\t1\n3\t4\t0\n", "line 2: 3 cells where the first line has 1; if line 1 is a title"),
        ("\uff11,2,1\n3,4,0\n\uff13,4,0\n", "'\uff13' is not a number"),
    ],
)
def test_separators_titles_and_digits_are_named(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        read_csv(text.encode(), "x")
    assert "write " not in str(caught.value)


def test_a_first_line_of_numbers_with_a_text_as_label_is_told() -> None:
    (warning,) = read_csv(b"1,2,1 # a\n3,4,0\n3,5,1\n", "x").warnings
    assert "line 1 is taken for a header" in warning
    assert read_csv(b"0,1,class\n3,4,0\n3,5,1\n", "x").warnings == ()


BIG = 2**60


def test_whole_numbers_that_become_equal_are_told(load_text: Loader, tmp_path: Path) -> None:
    said = f"column 0.* that become equal in float64, such as {BIG} and {BIG + 1}"
    numbers = np.array([[BIG, 1], [BIG + 1, 2], [5, 3]])
    np.savez(tmp_path / "d.npz", X=numbers, y=[0, 1, 0])
    csv = "".join(f"{a},{b},{k % 2}\n" for k, (a, b) in enumerate(numbers.tolist()))
    table = parquet({"t": numbers[:, 0], "u": numbers[:, 1], "y": [0, 1, 0]})
    for read in (
        read_csv(csv.encode(), "x"),
        read_parquet(table, "x"),
        read_npz((tmp_path / "d.npz").read_bytes(), "x")[0],
    ):
        assert [re.match(said, text) is not None for text in read.warnings] == [True]
    for frame in (numbers.astype(object), pd.DataFrame(numbers).assign(u=0.5)):
        with pytest.warns(UserWarning, match=said):
            features_of(frame, "X")
    assert read_csv(f"{BIG},1\n{BIG},0\n{BIG * 2},0\n".encode(), "x").warnings == ()


def test_labels_that_become_equal_are_refused(tmp_path: Path) -> None:
    said = f"the labels {BIG} and {BIG + 1} become equal in float64"
    np.savez(tmp_path / "d.npz", X=np.eye(2), y=[BIG, BIG + 1])
    for read, content in (
        (read_csv, f"1,{BIG}\n2,{BIG + 1}\n".encode()),
        (read_parquet, parquet({"t": [1, 2], "y": [BIG, BIG + 1]})),
        (read_npz, (tmp_path / "d.npz").read_bytes()),
    ):
        with pytest.raises(DataError, match=said):
            read(content, "x")
    with pytest.raises(DataError, match="become equal in float64"):
        labels_of([10**20, 10**20 + 1], "y")


def test_arff_headers_that_are_not_read_are_named() -> None:
    for attributes, row, said in (
        ("@attribute s string\n@attribute y real", "a,1", "kind string is not read"),
        ("@attribute \u00f6 real\n@attribute y {\u00e4, b}", "1,\u00e4", "beyond ASCII"),
        ("@attribute s unknown\n@attribute y real", "1,1", "lines @attribute NAME KIND"),
    ):
        with pytest.raises(DataError, match=f"^x: not a readable ARFF file: .*{said}"):
            read_arff(f"@relation r\n{attributes}\n@data\n{row}\n".encode(), "x")
    quoted = "@relation r\n@attribute a real\n@attribute y {'no, never', yes}\n@data\n1,'no, never'\n2,yes\n"
    assert read_arff(quoted.encode(), "x").classes == ("no, never", "yes")
