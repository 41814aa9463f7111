"""What the console shows of a finished figure: a table of its verdicts, and the paths of its files."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from svm_cost_curves.experiments.provenance import UNCOMMITTED
from svm_cost_curves.experiments.reproduction.options import FOLDERS
from svm_cost_curves.experiments.reproduction.report.labels import agreement
from svm_cost_curves.experiments.reproduction.verdict import Verdict
from svm_cost_curves.experiments.run.console import console
from svm_cost_curves.support.text import command_line

_LONGEST: Final = 100
"""Characters of the measurement that decided a claim; verdict.md has all of it."""
_FILES: Final[Mapping[str, str]] = {
    "verdict": "verdict.md",
    "table": "table.md",
    "for a paper": "paper.*",
    "figure": "figure.png",
    "page": "curves.html",
}


def show(verdict: Verdict, folder: Path) -> None:
    """Print the verdicts, or of a figure without claims its table; then the paths of the files in its folder."""
    out = console(sys.stdout)
    if verdict.claims:
        out.print(claims_table(verdict), highlight=False)
    elif (folder / "table.json").exists():
        out.print(figure_table(json.loads((folder / "table.json").read_text(encoding="utf-8"))), highlight=False)
    lines = remarks(verdict)
    lines += [f"{what}: {path}" for what, name in _FILES.items() for path in sorted(folder.glob(name))]
    print("\n".join(lines), flush=True)


def show_overview(figures: Path) -> None:
    """Write the list of the pages of all figures, if there are pages, and print its path."""
    from svm_cost_curves.experiments.plotting.interactive import write_overview

    if overview := write_overview(figures, "Figures"):
        print(f"all figures: {overview}", flush=True)


def remarks(verdict: Verdict) -> list[str]:
    """Return the lines below the table of claims: printed numbers, and what restricts the verdict."""
    lines = [f"  printed numbers: {agreement(verdict.numbers)}"] if verdict.numbers else []
    lines += [f"  disturbed timed runs on {name}: {how}" for name, how in verdict.disturbed.items()]
    if verdict.uncommitted:
        lines.append(f"  made {UNCOMMITTED}: verdict.json has the commits")
    return lines


def claims_table(verdict: Verdict) -> Table:
    """Return the table of a figure's claims: outcome, data, and the measurement of the case that decided it."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict")
    table.add_column("decided by")
    for claim in verdict.claims:
        decided = textwrap.shorten(claim.nearest.decided_by, _LONGEST, placeholder=" ...")
        table.add_row(Text(claim.id), Text(claim.nearest.text), Text(decided or "-"))
    return table


def figure_table(content: Mapping[str, Any]) -> Table:
    """Return the table of a figure (table.json), without notes and without the ranges in brackets."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in content["columns"]:
        table.add_column(name, overflow="fold")  # cut names of two settings of a solver could look the same
    for row in content["rows"]:
        table.add_row(*map(_cell, row))
    return table


def _cell(content: str | Mapping[str, str]) -> Text:
    text, style = (content, "") if isinstance(content, str) else (content["bold"], "bold")
    return Text(re.sub(r" \[[^]]*\]$", "", text), style=style)


def shown(words: Sequence[str]) -> str:
    """Return the command line without folders of this machine."""
    hidden = ("store=", "store.", *(f"{name}=" for name in FOLDERS))
    return command_line("reproduce", *(word for word in words if not word.startswith(hidden)))
