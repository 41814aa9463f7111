"""The documents as pages: their size, their links, and what they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
OTHERS = ("README.md", "changes.md", "coverage.md", "checks.md")
SCORECARDS = sorted(path for path in RESULTS.glob("*.md") if path.name not in OTHERS)
"""Written by `reproduce.py`."""

PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md", *SCORECARDS})
"""Written by people."""

COLUMNS, SCREEN = 120, 150

SPINE, SHORT = 14, 250
"""Files that are read first, and the lines that each may have."""


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def prose(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers, without blocks of code, tables and pictures."""
    code = False
    numbered = []
    for number, line in enumerate(text.splitlines(), start=1):
        code ^= line.startswith("```")
        if not code and not line.startswith(("```", "|", "![")):
            numbered.append((number, line))
    return numbered


def anchors(text: str) -> set[str]:
    """Anchors of headings, as GitHub makes them."""
    headings = [line.lstrip("#").strip().lower() for _, line in prose(text) if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= SCREEN


@pytest.mark.parametrize("path", PAGES, ids=names(PAGES))
def test_lines_of_prose_are_short(path: Path) -> None:
    long = [number for number, line in prose(path.read_text(encoding="utf-8")) if len(line) > COLUMNS]
    assert long == []


@pytest.mark.parametrize("path", PAGES, ids=names(PAGES))
def test_links_lead_to_files_and_headings_that_exist(path: Path) -> None:
    dead = []
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    assert dead == []


def test_every_page_is_linked_from_the_readme_or_the_sites_first_page() -> None:
    linked = set()
    for page in (ROOT / "README.md", ROOT / "docs" / "site" / "index.md"):
        links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        linked |= {(page.parent / link).resolve() for link in links}
    assert {path.resolve() for path in (ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "nu.md"} <= linked


def test_make_has_the_targets_that_pages_name() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        pairs = re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", text, re.MULTILINE)
        assert {target for pair in pairs for target in pair if target} <= targets, path.name


def test_the_api_page_names_modules_that_exist() -> None:
    text = (ROOT / "docs" / "site" / "api.md").read_text(encoding="utf-8")
    for module in re.findall(r"automodule:: ([\w.]+)", text):
        file = ROOT / "package" / module.replace(".", "/")
        assert file.is_dir() or file.with_suffix(".py").exists(), module


def test_the_files_to_read_first_are_few_and_short() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w.]+)\]\(\.\./([\w./]+)\) \| (\d+) \|", text, re.MULTILINE)
    assert len(rows) == SPINE
    for name, path, lines in rows:
        length = len((ROOT / path).read_text(encoding="utf-8").splitlines())
        assert (ROOT / path).name == name
        assert length <= SHORT, path
        assert abs(length - int(lines)) <= 10, path
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([\w./]+)\)", readme.partition("## Read these first")[2].partition("\n## ")[0])
    assert [path for path in linked if path != "docs/architecture.md"] == [path for _, path, _ in rows]


def test_the_architecture_names_functions_that_exist() -> None:
    sources = [ROOT / "run.py", ROOT / "reproduce.py"]
    for folder in ("cpp/core", "datasets", "experiments", "solvers"):
        sources += [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".cpp")]
    texts = {path: path.read_text(encoding="utf-8") for path in sources}
    rows = re.findall(
        r"^\| \d+ \| (.+?) \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    names = [name for row in rows for name in re.findall(r"`([^`(]+)[^`]*`", row)]
    missing = []
    for name in names:
        *owner, function = re.split(r"\.py: |::|\.", name)
        paths = [path for path, text in texts.items() if re.search(rf"(?:def |class |::){function}\b", text)]
        if not any(not owner or _owns(path, texts[path], owner[-1]) for path in paths):
            missing.append(name)
    assert len(names) > 15
    assert missing == []


def _owns(path: Path, text: str, owner: str) -> bool:
    """Tell whether a source file is a module of this name, or has a class of this name."""
    module = owner.rsplit("/", 1)[-1]
    return (
        path.stem == module or path.parent.name == module or re.search(rf"class {owner}\b|{owner}::", text) is not None
    )
