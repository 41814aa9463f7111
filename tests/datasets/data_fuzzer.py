"""Mutated data files, loaded through `datasets.load` in child processes with a limit on memory and on time.

Each case follows from its number. Allowed are a valid data set, or a `DataError` whose text is short and printable.

    python tests/datasets/data_fuzzer.py --cases 20000 --first 0

prints how many cases of each format ended how, and every failure with its number.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import sys
import tarfile
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of the parent are not in its children
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # others reserve more than a child may take
sys.path.append(str(Path(__file__).resolve().parents[1]))

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn.feature_extraction.text  # noqa: F401  here once, and not in each child
from fuzzing import outcomes
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, DatasetSpec, FileData, PublishedData, load
from svm_cost_curves.datasets.spec import FileSpec
from svm_cost_curves.support.text import LONGEST_MESSAGE

ROOM = 1 << 30
"""Bytes that a child may take beyond what it begins with."""
FORMATS = ("libsvm", "csv", "npz", "parquet", "arff", "idx", "topics", "messages")
NUMBERS = (
    "1e39 -1e400 nan -inf 1e-320 0x10 1_0 --3 + 1e 1e308 : 2147483647 2147483648 4294967297 9223372036854775807 "
    "9223372036854775808 -1 0 1e-46 1e-300 1e200 1764000000.5 -999 NA ? - . null True false #N/A \u0661 1,234 1.234,5"
)
EXTREMES = (*NUMBERS.split(), "", "9" * 25, "1" * 5000, "1" + "0" * 300, "1 234", '"1,5"')


def numbers(chance: random.Random, rows: int, columns: int) -> np.ndarray:
    values = [[round(chance.gauss(0, 1), 3) for _ in range(columns)] for _ in range(rows)]
    return np.array(values).reshape(rows, columns)


def labels(chance: random.Random, rows: int) -> list[str]:
    names = chance.choice([("-1", "1"), ("0", "1"), ("ham", "spam"), ("1", "2")])
    return [names[k % 2] for k in range(rows)]


def libsvm(chance: random.Random) -> bytes:
    first = chance.choice([0, 1])
    names = chance.choice([("-1", "+1"), ("0", "1"), ("1", "2")])
    lines = []
    for k in range(12):
        entries = " ".join(f"{j + first}:{chance.gauss(0, 1):.3g}" for j in range(5) if chance.random() < 0.8)
        lines.append(f"{names[k % 2]} {'qid:1 ' if chance.random() < 0.1 else ''}{entries}")
    return "\n".join(lines).encode() + b"\n"


def csv(chance: random.Random) -> bytes:
    separator = chance.choice([",", ",", "\t", " ", ";", "|"])
    head = [separator.join(["u", "v", "w", "class"])] if chance.random() < 0.5 else []
    rows = [[*map(str, row), label] for row, label in zip(numbers(chance, 12, 3), labels(chance, 12), strict=True)]
    if chance.random() < 0.2:  # as pandas writes row numbers
        head = head and [separator + head[0]]
        rows = [[str(k), *row] for k, row in enumerate(rows)]
    lines = [*head, *map(separator.join, rows)]
    if chance.random() < 0.1:
        lines = [f"{line}{separator}" for line in lines]
    if chance.random() < 0.1:
        lines.insert(chance.choice([0, 0, 5]), chance.choice(["# a comment", f"#{lines[0]}", "sep=;", ""]))
    return "\n".join(lines).encode() + b"\n"


def npz(chance: random.Random) -> bytes:
    stream = io.BytesIO()
    X = numbers(chance, 12, 3).astype(chance.choice(["f8", "f4", "i8", ">f4", "f2"]))
    arrays = {"X": X, "y": np.arange(12) % 2}
    if chance.random() < 0.3:
        rows = sparse.csr_matrix(X.astype("f8"))
        arrays = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}
        arrays["y"] = np.array(labels(chance, 12))
    elif chance.random() < 0.3:
        arrays |= {"X_test": X[:4], "y_test": np.arange(4) % 2}
    (np.savez if chance.random() < 0.5 else np.savez_compressed)(stream, **arrays)
    return stream.getvalue()


def parquet(chance: random.Random) -> bytes:
    X = numbers(chance, 12, 3)
    texts = labels(chance, 12)
    kind = chance.choice(["text", "number"])
    y = [float(len(text) + (text == texts[0])) for text in texts] if kind == "number" else texts
    columns = {"u": X[:, 0], "v": X[:, 1].astype("f4"), "w": np.arange(12), "class": y}
    stream = io.BytesIO()
    compression = chance.choice(["snappy", "none", "gzip", "zstd"])
    pq.write_table(pa.table(columns), stream, compression=compression, write_page_checksum=chance.random() < 0.5)
    return stream.getvalue()


def arff(chance: random.Random) -> bytes:
    texts = labels(chance, 12)
    kind = chance.choice(["numeric", "{" + ",".join(sorted(set(texts))) + "}"])
    head = ["@relation r", *(f"@attribute {name} {chance.choice(['real', 'NUMERIC'])}" for name in "uvw")]
    rows = [",".join([*map(str, row), label]) for row, label in zip(numbers(chance, 12, 3), texts, strict=True)]
    return "\n".join([*head, f"@attribute class {kind}", "@data", *rows]).encode() + b"\n"


def images(chance: random.Random) -> bytes:
    return b"\0\0\x08\x03" + b"".join(k.to_bytes(4, "big") for k in (12, 2, 3)) + chance.randbytes(72)


def messages(chance: random.Random) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for k in range(12):
            words = " ".join(chance.choice(["one", "two", "three", "four", "five"]) for _ in range(8))
            content = f"From: a\n\n{words}\n".encode()
            member = tarfile.TarInfo(f"group{k % 2}/{k}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    **{"libsvm": libsvm, "csv": csv, "npz": npz, "parquet": parquet, "arff": arff, "messages": messages},
    "idx": images,
    "topics": lambda chance: b"".join(b"%s %d 1\n" % (chance.choice([b"C1", b"C2"]), k) for k in range(1, 13)),
}


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the bytes with one mutation: of bits or bytes, a number, the encoding, the line ends, or a piece."""
    size = max(len(content), 1)
    at, end = sorted((chance.randrange(size), min(chance.randrange(size) + 1, size)))
    before, piece, after = content[:at], content[at:end], content[end:]
    kind = chance.choice(["bits", "bits", "number", "number", "number", "insert", "insert", "code", "lines", "piece"])
    if kind == "bits" and content:
        flipped = bytearray(content)
        for _ in range(chance.choice([1, 1, 2, 8, 50])):
            flipped[chance.randrange(size)] ^= 1 << chance.randrange(8)
        return bytes(flipped)
    if kind == "number":
        token = chance.choice([*re.finditer(rb"[-+0-9.e]+", content)] or [None])
        extreme = chance.choice(EXTREMES).encode()
        return content + extreme if token is None else content[: token.start()] + extreme + content[token.end() :]
    if kind == "insert":
        odd = chance.choice([b"\0", b"x", b"\x1b[31m", b"\xff", b"\xe2\x80\xa8", b'"', b",", chance.randbytes(64)])
        return before + odd * chance.choice([1, 3, 140_000 // len(odd)]) + content[at:]
    if kind == "code":
        return content.decode("latin-1").encode(chance.choice(["utf-16", "utf-32", "utf-8-sig", "utf-8"]))
    if kind == "lines":
        return content.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\n\n", b" ", b"\x0b", b"\n#"]))
    return chance.choice([before, before + after, before + piece * chance.choice([2, 3, 50]) + after])


def spec_of(number: int, folder: Path) -> DatasetSpec:
    """Write the files of a case, and return how it is loaded."""
    chance = random.Random(number)
    format = FORMATS[number % len(FORMATS)]
    content = MAKERS[format](chance)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        content = mutated(content, chance)
    content = chance.choice([bytes, bytes, gzip.compress, bz2.compress, lzma.compress])(content)
    if chance.random() < 0.15:
        content = mutated(content, chance)
    path = folder / f"case.{format}"
    path.write_bytes(content)
    if format in ("idx", "topics"):
        if format == "idx":
            other = b"\0\0\x08\x01" + (12).to_bytes(4, "big") + bytes(k % 2 for k in range(12))
            files = [FileSpec("train", path.name), FileSpec("train_labels", "other")]
        else:
            other = b"".join(b"%d 1:%d 2:1\n" % (k, k % 3) for k in range(1, 13))
            files = [FileSpec("train", "other"), FileSpec("topics", path.name)]
        (folder / "other").write_bytes(other)
        topic = {"format": "libsvm", "topic": "C1"} if format == "topics" else {"format": "idx"}
        return PublishedData(name="case", files=files, test_fraction=0.3, **topic)  # type: ignore[arg-type]
    spec = FileData(train=str(path), format=format, test_fraction=0.3)
    if format in ("csv", "parquet", "arff"):
        spec.label_column = chance.choice([-1, -1, "class", 0])
        spec.drop_columns = chance.choice([[], [], [1]])
    if chance.random() < 0.3:
        spec.positive = [chance.choice([1.0, "spam", 2.0, 0])]
    spec.scaling = chance.choice(["none", "none", "minmax", "standard"])
    spec.row_norm = chance.choice(["none", "none", "l2", "longest"])
    spec.storage = chance.choice(["auto", "auto", "dense", "sparse"])
    return spec


def refuse_invalid(data: Dataset) -> None:
    """Raise AssertionError unless a data set is what `Dataset` promises."""
    assert data.X.shape == (data.n, data.d)
    assert data.X_test.shape == (data.y_test.size, data.d)
    assert data.d >= 1
    assert set(np.unique(data.y)) == {-1, 1}
    assert set(np.unique(data.y_test)) <= {-1, 1}
    for X in (data.X, data.X_test):
        assert X.dtype == np.float32
        values = X.data if sparse.issparse(X) else X
        assert np.isfinite(np.asarray(values)).all()
        if sparse.issparse(X):
            assert X.has_canonical_format
            assert X.nnz == 0 or (X.indices.min() >= 0 and X.indices.max() < data.d)
    json.dumps(data.provenance, allow_nan=False)
    for warning in data.provenance["warnings"]:
        assert warning.isprintable()
        assert len(warning) <= LONGEST_MESSAGE


def outcome_of(number: int) -> str:
    """Return how a case ended: loaded, refused, or the failure's text."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="data-fuzzer-", dir=place, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            refuse_invalid(load(spec_of(number, folder), cache_dir=folder / "cache", mirrors=[folder]))
        except DataError as error:
            text = str(error)
            good = text.isprintable() and len(text) <= LONGEST_MESSAGE + 3
            return "refused" if good else f"message of {len(text)} characters: {text[:200]!r}"
        except Exception:
            return traceback.format_exc()
    return "loaded"


def main() -> int:
    """Run the cases that the command line names; exit status 1 where any failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    failed = 0
    for number, made, died in outcomes(outcome_of, range(given.first, given.first + given.cases), room=ROOM):
        outcome = made or f"no outcome: {died}"
        format, known = FORMATS[number % len(FORMATS)], outcome in ("loaded", "refused")
        counts[f"{format}: {outcome if known else 'failed'}"] += 1
        if not known:
            failed += 1
            print(f"case {number} ({format}): {outcome}", flush=True)
    for name in sorted(counts):
        print(f"{name} {counts[name]}")
    print(f"{counts.total()} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
