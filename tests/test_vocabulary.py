"""One word for one thing: terms that the project has retired do not come back, and neither does their prose.

`docs/glossary.md` has the terms that are used. The lists below are data: to retire a term, add a line.
"""

from __future__ import annotations

import io
import json
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("conf", "cpp", "datasets", "docs", "experiments", "notebooks", "solvers", "support", "tests")
SUFFIXES = (".py", ".pyi", ".md", ".yaml", ".hpp", ".cpp", ".ipynb")
EXEMPT = ("CHANGELOG.md", "tests/test_vocabulary.py")
"""History, and the lists themselves."""


class Term(NamedTuple):
    """A retired term and its replacement.

    Attributes
    ----------
    old : str
        A regular expression. ``Name``: an identifier anywhere in code. ``.name``: an attribute, or a function or method
        where it is defined. ``module name``: a source file without its suffix, or a part of an import. In `PROSE` a
        phrase, upper and lower case alike; a blank also stands for a line break.
    new : str
        What to write instead.
    beside_new : bool
        Whether a line that has both may stay: a message about the renaming.
    """

    old: str
    new: str
    beside_new: bool = False


IDENTIFIERS: tuple[Term, ...] = (
    # stopping a run, and jobs of a sweep
    Term("Wish|wish", "StopRequest"),
    Term(r"\.grant", "raise_if_set"),
    Term("Desk|OnCluster|Board|desk|module desk", "WorkerPool, RayPool"),
    Term("Turn|next_turn", "run_jobs: the pool retries a killed job"),
    # ranks
    Term("Together|module together", "DistributedSolver"),
    Term("Share|ProblemShare|module share", "ProblemShard, shard"),
    Term("deal|dealt", "scatter_rows"),
    Term("Exchange|module exchange", "AllReduce"),
    # store and caches
    Term("unshared|not_uploaded|RunHandle|close_dead", "Store.finish, Recorder"),
    Term("is_outside|module outside", "plugins"),
    Term("module kept", "disk_cache"),
    # evaluations and checkpoints
    Term("Keeper|keeper", "Checkpointer"),
    Term("Kept", "Checkpoint"),
    Term(r"Looks|\.looks", "EvaluationSchedule"),
    Term("module checkpoints", "schedule"),
    Term(r"\.checkpoints", "evaluations"),
    # figures
    Term("Made|module made", "FigureResult"),
    Term("module making", "build"),
    Term("Way", "Schedule"),
    # core
    Term("Survey|module survey", "ThresholdScan"),
    Term("Team|TEAM_OF_ONE|module team", "ThreadPool (core), Ranks (engine)"),
    Term("OffsetSolver|module step_offset", "TunedSgd, initial_step"),
    Term("expect_row|expect_place", "prefetch_row, prefetch_offset"),
    Term("take_away|module take_away", "swap_remove"),
    Term("row_paid_by_responses", "row_uncharged"),
)
"""Names that no file may have."""

PROSE: tuple[Term, ...] = (
    Term(r"\bwish(es)?\b", "stop request"),
    Term(r"\bgranted\b", "checked, raised"),
    Term(r"\bwhoever\b", "everyone who, anyone who"),
    Term(r"files? to go on from", "checkpoint"),
    Term(r"(?:go|goes|gone|went) on from", "continues from"),
    Term(r"\b(?:made|begins?|begin|built|computed) anew\b", "again, from the beginning"),
    Term(r"(?:for|of|own) want of", "because it lacks"),
    Term(r"where all is whole|so that all is whole", "between iterations"),
    Term(r"without a word", "without a message"),
    Term(r"nobody's way", "say the mechanism"),
    Term(r"stays? deaf", "signals stay blocked"),
    Term(r"as often as one likes", "repeatedly"),
    Term(r"so often a\b", "at most so many times"),
    Term(r"what became of", "outcome"),
    Term(r"none are left|one that there is", "none are written, an existing one"),
    Term(r"that are no number|objective that is none", "NaN"),
    Term(r"\blook(?:s|ed) at a run|run is looked at|looks? an epoch", "evaluation"),
    Term(r"(?:each|every|per|last|from|next) checkpoint\b(?!_)", "evaluation"),
    Term(r"checkpoints? (?:of|on) (?:the|a) curve|checkpoints of a run", "evaluations"),
    Term(r"evaluat(?:ing|es?|ed) (?:a |the |all )?checkpoints?", "evaluation"),
    Term(r"\bspools?\b", "folder of a server"),
    Term(r"budget\.checkpoints", "budget.evaluations", beside_new=True),
    Term(r"who cannot take part", "a solver that cannot take part"),
    Term(r"in words of its own|a word of their own", "separately"),
)
"""Phrases that no file may have."""


class Hit(NamedTuple):
    """A retired term in a text."""

    line: int
    found: str
    new: str


@cache
def files() -> tuple[Path, ...]:
    """Source files and documents of the project, without those that figures have written."""
    found = [path for path in ROOT.iterdir() if path.suffix in SUFFIXES]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    return tuple(sorted(path for path in found if not _generated(path) and _name(path) not in EXEMPT))


def documents() -> Iterator[Path]:
    """Markdown that people write, and notebooks."""
    return (path for path in files() if path.suffix in (".md", ".ipynb"))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _generated(path: Path) -> bool:
    return path.parent == ROOT / "docs" / "results" and path.name != "README.md"


def text_of(path: Path) -> str:
    """Text of a file; of a notebook its cells alone."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def _words(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """Identifiers and dots of code with their lines; of Markdown what stands in backticks and in blocks of code."""
    if suffix in (".py", ".pyi"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME or token.string == ".":
                yield token.start[0], token.string
        return
    if suffix in (".md", ".ipynb"):
        code = r"^```.*?^```$|`[^`\n]+`"
        text = re.sub(rf"({code})|[^\n]", lambda match: match[1] or " ", text, flags=re.MULTILINE | re.DOTALL)
    if suffix in (".hpp", ".cpp"):  # comments and strings without the names of included files
        no_code = r"//[^\n]*|/\*.*?\*/|(?<!include )\"(?:\\.|[^\"\\\n])*\""
        text = re.sub(no_code, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), start=1):
        for match in re.finditer(r"[A-Za-z_]\w*|->|::|\.", line.split("#")[0] if suffix == ".yaml" else line):
            yield number, "." if match[0] in ("->", "::") else match[0]


def identifiers(text: str, suffix: str, terms: tuple[Term, ...]) -> Iterator[Hit]:
    """Retired identifiers in a text of code or Markdown."""
    imports = {k for k, line in enumerate(text.splitlines(), 1) if re.match(r"\s*(?:from|import|#include)\b", line)}
    any_term = re.compile("|".join(term.old for term in terms))  # one search for a word, not one for each term
    before = ""
    for number, word in _words(text, suffix):
        forms = [word, f".{word}"] if before in (".", "def") else [word]
        if number in imports:
            forms.append(f"module {word}")
        if any(map(any_term.fullmatch, forms)):
            for term in terms:
                if any(re.fullmatch(term.old, form) for form in forms):
                    yield Hit(number, word, term.new)
        before = word


def phrases(text: str, terms: tuple[Term, ...]) -> Iterator[Hit]:
    """Retired phrases in a text."""
    lines = text.splitlines()
    for term in terms:
        pattern = term.old.replace(" ", r"(?:[ \t]+|[ \t]*\n[ \t]*(?:[#*>]|//+)?[ \t]*)")
        for match in re.finditer(pattern, text, re.IGNORECASE):
            number = text.count("\n", 0, match.start()) + 1
            if not (term.beside_new and term.new in lines[number - 1]):
                yield Hit(number, " ".join(match[0].split()), term.new)


def retired(path: Path, names: tuple[Term, ...], prose: tuple[Term, ...]) -> list[str]:
    """Retired terms of a file, a line for each."""
    text = text_of(path)
    hits = [*identifiers(text, path.suffix, names), *phrases(text, prose)]
    if path.suffix != ".md":
        stems = [term for term in names if re.fullmatch(term.old, f"module {path.stem}")]
        hits += [Hit(1, f"module {path.stem}", term.new) for term in stems]
    return [f"{_name(path)}:{line}: {found}: say {new}" for line, found, new in sorted(hits)]


def test_no_file_has_a_retired_term() -> None:
    assert [line for path in files() for line in retired(path, IDENTIFIERS, PROSE)] == []


def test_files_of_all_kinds_are_read() -> None:
    assert {path.suffix for path in files()} == set(SUFFIXES)
    assert {"README.md", "CONTRIBUTING.md", "docs/results/README.md"} <= {_name(path) for path in documents()}
    assert "docs/results/sbp.md" not in {_name(path) for path in documents()}


NAMES = (Term("Wish", "StopRequest"), Term(r"\.grant", "raise_if_set"), Term("module kept", "disk_cache"))


@pytest.mark.parametrize(
    ("text", "suffix", "found"),
    [
        ("from a import b\nx = Wish()\n", ".py", [(2, "Wish")]),
        ("# a Wish\nx = 'Wish'\n", ".py", []),
        ("y.grant()\n", ".py", [(1, "grant")]),
        ("class A:\n    def grant(self): ...\n", ".py", [(2, "grant")]),
        ("grant = 1\n", ".py", []),
        ("from solvers.kept import x\nkept = 1\n", ".py", [(1, "kept")]),
        ("// Wish\nWish w;\nw.grant();\n", ".hpp", [(2, "Wish"), (3, "grant")]),
        ("a->grant();  // b\n/* Wish\n*/ Wish c;", ".cpp", [(1, "grant"), (3, "Wish")]),
        ('#include "kept.hpp"\nsay("Wish");\n', ".cpp", [(1, "kept")]),
        ("a Wish is `Wish`\n\n```python\nWish()\n```\nWish\n", ".md", [(1, "Wish"), (4, "Wish")]),
        ("key: Wish  # Wish\n# Wish\n", ".yaml", [(1, "Wish")]),
    ],
)
def test_identifiers_are_found_in_code_alone(text: str, suffix: str, found: list[tuple[int, str]]) -> None:
    assert [(hit.line, hit.found) for hit in identifiers(text, suffix, NAMES)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A file to go on from.", [(1, "file to go on from")]),
        ("# one\n    # Files to go\n    # on from\n", [(2, "Files to go # on from")]),
        ("a checkpoint", []),
        ("`budget.checkpoints` is called `budget.evaluations` now", []),
        ("budget.checkpoints=60", [(1, "budget.checkpoints")]),
    ],
)
def test_phrases_are_found_across_lines(text: str, found: list[tuple[int, str]]) -> None:
    terms = (
        Term(r"files? to go on from", "checkpoint"),
        Term(r"budget\.checkpoints", "budget.evaluations", beside_new=True),
    )
    assert [(hit.line, hit.found) for hit in phrases(text, terms)] == found


def test_a_module_is_found_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "kept.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert retired(path, NAMES, ()) == ["kept.py:1: module kept: say disk_cache"]
