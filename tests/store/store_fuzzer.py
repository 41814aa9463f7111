"""Damages and forges the files of a store, reads it by every function and command, and counts what happens.

PYTHONPATH=tests/store .venv/bin/python tests/store/store_fuzzer.py 2000 --seed 0
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from store_records import forge, record

from svm_cost_curves import experiments
from svm_cost_curves.experiments.processes.outcome import Outcome, checksum, outcomes_in
from svm_cost_curves.experiments.store import Store, StoreError
from svm_cost_curves.experiments.store.cli import main
from svm_cost_curves.experiments.store.run_folder import DamagedRunError, read_contents

FORGED = (
    *(None, {}, [], "", "x", "\x1b[31m", "nan", 0, -1, True, 1.5, 1e308, float("nan"), float("inf"), 10**19, 10**400),
    *([[]] * 3, {"": {}}, ["x", 1], {"a": "b"}, "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"),
)
"""Values that are put in the place of others."""
COLUMNS: tuple[Any, ...] = (None, "x", -1.0, float("inf"), True, 10**17, [1], b"x")
"""Values of a forged column of a curve."""
FINE, LEFT_OUT, SHOWN = "shown as it was", "left out, and named", "shown with the forged value"
SILENT, ESCAPED = "changed in silence", "traceback"


def filled(root: Path) -> Store:
    """Return a store with two runs, and a sweep that made both."""
    store = Store.open(root)
    (root / "sweeps" / "s").mkdir(parents=True)
    for seed in range(2):
        run = record(store, f"k{seed}", seed=seed)
        outcome = Outcome.of_result("a run", "finished", run.result | {"counters": {}}, run.result_path)
        outcome.write(root / "sweeps" / "s", seed)
    return store


def files_of(root: Path) -> list[Path]:
    """Return the files that may be damaged: those of the first run, and its note in the sweep."""
    return [*sorted((root / "runs" / "k0").iterdir()), root / "sweeps" / "s" / "job-00000.json"]


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return a file's content after a flipped bit, a cut, a range of zeros, or with other bytes in it."""
    at = rng.randrange(len(content))
    end = min(len(content), at + rng.choice([1, 4, 64, 512]))
    kind = rng.randrange(5)
    if kind == 0:
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if kind == 1:
        return content[:at]
    if kind == 2:
        return content[:at] + bytes(end - at) + content[end:]
    if kind == 3:
        return content[:at] + rng.randbytes(end - at) + content[at:]
    return content[:at] + content[end:]


def forged_result(content: bytes, rng: random.Random) -> bytes:
    """Return a result.json with another value, or without an entry, at a random place."""
    result = json.loads(content)
    places = [(holder, name) for holder in holders(result) for name in holder]
    holder, name = rng.choice(places)
    if rng.random() < 0.2:
        del holder[name]
    else:
        holder[name] = rng.choice(FORGED)
    whole = rng.choice(FORGED) if rng.random() < 0.02 else result
    return json.dumps(whole).encode()


def holders(value: Any) -> Iterator[dict[str, Any]]:
    """Return all dictionaries in a value."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from holders(item)


def forged_curve(content: bytes, rng: random.Random) -> bytes:
    """Return a curve.parquet with another column, or without one."""
    table = pd.read_parquet(io.BytesIO(content))
    name, kind = rng.choice([*table.columns]), rng.randrange(4)
    if kind == 0:
        table = table.drop(columns=name)
    elif kind == 1:
        table[name] = [rng.choice(COLUMNS)] * len(table)
    elif kind == 2:
        table[f"{name}x"] = 1.0
    else:
        table = table.astype({name: rng.choice(["str", "float32", "category", "Int64"])}, errors="ignore")
    written = io.BytesIO()
    try:
        table.to_parquet(written)
    except Exception:  # pyarrow writes no such column
        return b"PAR1"
    return written.getvalue()


def forged_note(content: bytes, rng: random.Random) -> bytes:
    """Return a sweep's note with another value, and with the right checksum."""
    note = json.loads(content)
    note.pop("sha256")
    name = rng.choice([*note])
    if rng.random() < 0.2:
        del note[name]
    else:
        note[name] = rng.choice(FORGED)
    return json.dumps(note | {"sha256": checksum(note)}).encode()


def intact(folder: Path) -> str:
    """Read a run's folder; return whether it can be read."""
    try:
        return repr(read_contents(folder).keys())
    except DamagedRunError:
        return "damaged"


def read_all(root: Path) -> tuple[str, list[str]]:
    """Read a store by everything that reads; return what was shown as text, and the lines that name damage."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("svm_cost_curves")
    logger.addHandler(handler)
    propagates, logger.propagate = logger.propagate, False
    try:
        shown = [_browsed(root, *words) for words in BROWSED]
        store = Store.open(root)
        shown.append(repr(outcomes_in(root / "sweeps" / "s")))
        shown += [repr(store.find_all_finished(["k0", "k1"])), intact(root / "runs" / "k0")]
        try:
            shown.append(experiments.load(store=root).to_csv())
        except StoreError as error:
            lines.append(str(error))
        return "\n".join(shown), lines
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


BROWSED = (
    *(["list"], ["list", "--wide"], ["list", "sweep=s"], ["list", "problem.nu=0.01"], ["show", "key=k0"]),
    *(["compare"], ["export", "EXPORT"], ["delete", "algo=sbp"]),
)


def _browsed(root: Path, *words: str) -> str:
    out, err, path = io.StringIO(), io.StringIO(), root.with_name("exported.csv")
    path.unlink(missing_ok=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main([*(str(path) if word == "EXPORT" else word for word in words), f"store={root}"])
    return out.getvalue() + (path.read_text() if path.exists() else "")


def outcome_of(root: Path, before: str) -> tuple[str, str]:
    """Read a damaged store; return what happened, of `FINE` to `ESCAPED`, and the traceback's last line."""
    try:
        shown, lines = read_all(root)
    except Exception as error:
        return ESCAPED, f"{type(error).__name__}: {error}"
    if shown == before:
        return FINE, ""
    return (LEFT_OUT, "") if lines else (SILENT, shown)


def change(path: Path, rng: random.Random) -> bool:
    """Damage a file, or forge it with its right checksum; return whether it is forged."""
    content = path.read_bytes()
    forge_it = rng.random() < 0.5 and path.name != "SHA256SUMS"
    if not forge_it:
        path.write_bytes(damaged(content, rng))
    elif path.name == "result.json":
        forge(path.parent, path.name, forged_result(content, rng))
    elif path.name == "curve.parquet":
        forge(path.parent, path.name, forged_curve(content, rng))
    else:
        path.write_bytes(forged_note(content, rng))
    return forge_it


def cases(root: Path, count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Change a file of a store again and again; yield the file's name, what happened, and more on it."""
    store = filled(root)
    before, lines = read_all(root)
    assert not lines, lines
    files = files_of(store.root)
    whole = {path: path.read_bytes() for path in files}
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        path = rng.choice(files)
        is_forged = change(path, rng)
        what, more = outcome_of(root, before)
        if what == SILENT and (is_forged or path.read_bytes() == whole[path]):
            what = SHOWN  # another value of the right form
        yield path.name, what, f"case {seed}/{number}: {more}"
        for one, content in whole.items():
            one.write_bytes(content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = Counter[tuple[str, str]]()
        for name, what, more in cases(Path(folder, "store"), given.count, given.seed):
            counts[name, what] += 1
            if what in (SILENT, ESCAPED):
                print(name, what, more[:300])
        for (name, what), number in sorted(counts.items()):
            print(f"{name}: {number:,} {what}")
