from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.datasets.errors import DataError
from svm_cost_curves.datasets.readers import libsvm
from svm_cost_curves.datasets.readers.libsvm import read_libsvm, with_index_zero
from svm_cost_curves.datasets.types import Table

VALUES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def read(text: bytes, *, fast: bool = False) -> Table:
    """Read a text carefully, or as a large file is read."""
    with patch.object(libsvm, "_FAST_FROM", 0 if fast else len(text) + 1):
        return read_libsvm(text, "x.svm")


@st.composite
def formatted(draw: st.DrawFn) -> tuple[bytes, list[float], list[dict[int, float]], int]:
    """Return LIBSVM text in some legal formatting, and what it must be read as."""
    rows = draw(st.lists(st.dictionaries(st.integers(1, 40), VALUES, max_size=6), min_size=1, max_size=8))
    labels = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=len(rows), max_size=len(rows)))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = []
    for label, row in zip(labels, rows, strict=True):
        order = draw(st.permutations(sorted(row))) if draw(st.booleans()) else sorted(row)
        style = draw(st.sampled_from(["{!r}", "{:.17g}", "{:+.9e}"]))
        tokens = [draw(st.sampled_from([f"{label:g}", f"{label:+g}", f"{label:.1f}"]))]
        tokens += ["qid:3"] if draw(st.booleans()) else []
        tokens += [f"{i}:{style.format(row[i])}" for i in order]
        line = draw(st.sampled_from([" ", "  ", "\t"])).join(tokens)
        lines.append(line + draw(st.sampled_from(["", " ", " # a: comment"])))
        lines += draw(st.sampled_from([[], [""], ["# only: a comment"]]))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return text.encode(), labels, rows, max((i for r in rows for i in r), default=0)


@settings(deadline=None)
@given(formatted())
def test_any_legal_formatting_reads_exactly(case: tuple[bytes, list[float], list[dict[int, float]], int]) -> None:
    content, labels, rows, width = case
    expected = np.zeros((len(rows), width), np.float32)
    for i, row in enumerate(rows):
        for j, value in row.items():
            expected[i, j - 1] = value
    for table in (read(content), read(content, fast=True)):
        assert table.X.shape == expected.shape
        np.testing.assert_array_equal(table.X.toarray().astype(np.float32), expected)
        np.testing.assert_array_equal(table.y, labels)
        assert table.X.nnz == np.count_nonzero(expected)
        assert table.X.has_canonical_format
        assert (table.X.data.dtype, table.X.indices.dtype, table.X.indptr.dtype) == ("f8", "i4", "i4")


def test_scikit_learn_reads_large_usual_files_only() -> None:
    def careful(text: bytes) -> bool:
        with patch.object(libsvm, "_read_careful", side_effect=libsvm._read_careful) as reader:
            read(text, fast=True)
        return bool(reader.call_count)

    assert not careful(b"+1 1:0.5 3:0 7:1\n-1\n# 0 rows\n\n1 1:3")
    assert careful(b"1 3:1 2:1\n")
    for odd in (b"1 -1:1\n", b"1 1_0:1\n", b"1 1:x\n", b"1 1:1\n1 2\n1 1:2\n-1 3\n"):
        with pytest.raises(DataError):
            careful(odd)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 -4:2", "index -4 is below 0"),
        ("1 2:1 0:3 0:1", "index 0 appears twice"),
        ("1 2:1 2:3", "index 2 appears twice"),
        ("1 4:1 2:3 4:3", "index 4 appears twice"),
        ("1 2", "'2' is not of the form index:value"),
        ("1 2:", "the value of index 2, '' is not a number"),
        ("1 2:0x10", "is not a number"),
        ("1 2:1_0", "is not a number"),
        ("1 1_0:1", "not a whole number"),
        ("1 2.5:1", "not a whole number"),
        ("1 2 :1", "not of the form"),
        ("1 2:3:4", "is not a number"),
        ("1,2 2:1", "the label '1,2' is not a number"),
        ("spam 2:1", "the label 'spam' is not a number"),
        ("1 99999999999999999999:1", "does not fit in 64 bits"),
        ("1 2:1 qid:3", "not a whole number"),
    ],
)
def test_malformed_line_is_reported_with_file_line_and_text(line: str, said: str) -> None:
    content = f"+1 1:1 2:2\n\n# comment\n{line}\n-1 1:1\n".encode()
    with pytest.raises(DataError) as caught:
        read_libsvm(content, "some/x.svm")
    message = str(caught.value)
    assert "some/x.svm, line 4:" in message
    assert said in message
    assert repr(line) in message


@pytest.mark.parametrize("fast", [False, True])
def test_indices_beyond_32_bits_are_kept_as_64(fast: bool) -> None:
    table = read(b"1 1:1 3000000000:2\n-1 7:1\n", fast=fast)
    assert table.X.shape == (2, 3_000_000_000)
    assert table.X.indices.dtype == np.int64
    np.testing.assert_array_equal(table.X.indices, [0, 2_999_999_999, 6])


@pytest.mark.parametrize("fast", [False, True])
def test_indices_from_0_and_from_1_are_the_same_points(fast: bool) -> None:
    from_zero, from_one = read(b"1 0:5 2:1\n-1 1:3\n", fast=fast), read(b"1 1:5 3:1\n-1 2:3\n", fast=fast)
    assert (from_zero.from_zero, from_one.from_zero) == (True, False)
    np.testing.assert_array_equal(from_zero.X.toarray(), [[5, 0, 1], [0, 3, 0]])
    np.testing.assert_array_equal(from_one.X.toarray(), from_zero.X.toarray())
    assert read(b"1 0:0 3:1\n-1 2:3\n", fast=fast).from_zero  # a zero that is written out counts
    np.testing.assert_array_equal(with_index_zero(from_one).X.toarray(), [[0, 5, 0, 1], [0, 0, 3, 0]])
    assert with_index_zero(from_zero) is from_zero


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1 -" + b"9" * 999 + b":1", "is below 0"),
        (b"1 " + b"0" * 5000 + b"1:1", "does not fit in 64 bits"),
        (b"1 1:" + b"9" * 5000, "is not a number"),
        (b"1 1:" + b"\0" * 1_000_000, "is not a number"),
        (b"1 \x1b[31m\x07:1", r"\x1b[31m\x07"),
    ],
)
def test_what_a_message_quotes_is_short_and_printable(line: bytes, said: str) -> None:
    with pytest.raises(DataError) as caught:
        read(b"+1 1:1\n" + line + b"\n")
    message = str(caught.value)
    assert said in message
    assert "x.svm, line 2:" in message
    assert message.isprintable()
    assert len(message) < 500


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n"])
@pytest.mark.parametrize("fast", [False, True])
def test_empty_content_has_no_rows(content: bytes, fast: bool) -> None:
    assert read(content, fast=fast).y.size == 0
