"""The page of the data: for each paper its data sets, the data used here, and whether others can have them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from ....datasets.fetch import BUNDLED
from ....datasets.spec import PACKED_SUFFIXES
from ..citations import PAPERS
from ..data_statement import Origin, PaperData, origin_of_data, read_statement
from ..published import RUNS, published_figures, read_facts, read_series, read_table
from ..spec import DATA_SETS, catalogue
from .labels import NOTHING
from .rendering import escaped, render

Status = Literal["the same file", "part", "surrogate", "made here", "not at hand"]
_STATUS: Final[Mapping[Origin, Status]] = {
    "paper": "the same file",
    "part": "part",
    "surrogate": "surrogate",
    "own": "made here",
}
_COUNTS: Final[Mapping[Status, str]] = {
    "the same file": "{} have the paper's file",
    "part": "{} a part of it",
    "surrogate": "{} a surrogate",
    "not at hand": "{} nothing",
}


class Rows(NamedTuple):
    """Numbers of training and test rows; None if the paper does not print them."""

    train: int | None
    test: int | None

    @property
    def text(self) -> str:
        """``7,770 / 3,299``."""
        return " / ".join(NOTHING if count is None else f"{count:,}" for count in self)


@dataclass
class Use:
    """A data set of a paper, and one that was used for it."""

    key: str
    """Name of the paper's data set in the figures' files."""
    of_paper: PaperData | None
    """Its entry in the data statement; None for data made here."""
    dataset: str = ""
    """The data set that was used; empty if none was."""
    stand_in: str = ""
    """Why it only stands in for the paper's; empty if it does not."""
    figures: dict[Rows, Counter[str]] = field(default_factory=dict)
    """Runs of each figure with so many rows."""

    @cached_property
    def rows(self) -> Rows:
        """Row counts that most figures use; ties are broken by the number of runs."""
        return max(self.figures, key=lambda rows: (len(self.figures[rows]), self.figures[rows].total()))

    @property
    def status(self) -> Status:
        """Kind of the data used here: the paper's, a part, surrogate or our own."""
        if not self.dataset:
            return "not at hand"
        return _STATUS[origin_of_data(self.of_paper, self.dataset, self.rows.train, stands_in=bool(self.stand_in))]

    @property
    def rows_of_paper(self) -> Rows:
        """The numbers of rows that the paper uses."""
        return Rows(self.of_paper.train, self.of_paper.test) if self.of_paper else Rows(None, None)

    @property
    def share_text(self) -> str:
        """Training rows here as a share of the paper's: ``16 %``."""
        train = self.rows_of_paper.train
        if train is None or not self.dataset or self.rows.train is None:
            return NOTHING
        share = self.rows.train / train
        return f"{100 * share:.{0 if share >= 0.1 else 1}f} %"

    @property
    def all_figures(self) -> set[str]:
        """Published figures that use the data."""
        return {name for names in self.figures.values() for name in names}

    @property
    def other_rows(self) -> list[str]:
        """Other numbers of rows, and the figures that use them: ``1,000 / 16,281 rows in asset_theory``."""
        if not self.figures:
            return []
        usual = self.figures[self.rows]
        return [
            f"{rows.text} rows in {', '.join(f'part of {name}' if name in usual else name for name in sorted(names))}"
            for rows, names in sorted(self.figures.items())
            if rows != self.rows
        ]


@dataclass(frozen=True)
class Source:
    """Origin of a data set, as its file in ``conf/dataset/`` gives it, in Markdown, and the figures that use it."""

    name: str
    source: str
    licence: str
    stand_in: str
    remarks: Sequence[str]
    available_from: Literal["this project", "its address", "no address"]
    checked_by: Literal["checksum", "counts"]
    figures: Sequence[str]


def data_page(evidence: Path) -> str:
    """Return the data statement in Markdown, from a folder of evidence and ``conf/data_statement.yaml``.

    Raises EvidenceError or DataStatementError if a file of the evidence is damaged, or the statement has a wrong form.
    """
    uses = {paper: uses_of(paper, evidence) for paper in PAPERS}
    of_papers = [use for uses_of_paper in uses.values() for use in uses_of_paper if use.of_paper]
    figures: dict[str, set[str]] = {}
    for use in of_papers:
        for name in (use.key, use.dataset or use.key):
            figures.setdefault(name, set())
        figures[use.dataset or use.key] |= use.all_figures
    counts = Counter(use.status for use in of_papers)
    return render(
        "data.md.j2",
        papers={PAPERS[paper].title: uses_of_paper for paper, uses_of_paper in uses.items()},
        counts=", ".join(text.format(counts[status]) for status, text in _COUNTS.items() if counts[status]),
        total=len(of_papers),
        sources=[source_of(name, sorted(names)) for name, names in sorted(figures.items())],
        NOTHING=NOTHING,
    )


def uses_of(paper: str, evidence: Path) -> list[Use]:
    """Return the data sets of a paper with those that its published runs use, in the order of the statement."""
    stated = read_statement().get(paper, {})
    papers, rows_in = catalogue(), cache(partial(_rows, evidence))  # the figures of a paper share their tables
    uses: dict[tuple[str, str], Use] = {}
    for figure in published_figures(evidence):
        if papers.get(figure) != paper:
            continue
        facts = read_facts(evidence, figure)
        stand_ins = {(panel["paper_dataset"], panel["dataset"]): panel["stand_in"] for panel in facts["panels"]}
        series = read_series(evidence, facts)
        rows = rows_in(facts["tables"]) if series else {}
        for run in series:
            pair = run["panel"], run["dataset"]
            use = uses.setdefault(pair, Use(pair[0], stated.get(pair[0]), pair[1], stand_ins.get(pair, "")))
            use.figures.setdefault(rows[run["key"]], Counter())[figure] += 1
    used = {key for key, _ in uses}
    absent = [Use(key, data) for key, data in stated.items() if key not in used]
    order = [*stated]
    return sorted([*uses.values(), *absent], key=lambda use: order.index(use.key) if use.key in order else len(order))


def _rows(evidence: Path, tables: str) -> Mapping[str, Rows]:
    """Return each run's row counts, by the run's key."""
    runs = read_table(evidence, tables, RUNS).select(["key", "provenance"]).to_pylist()
    counts = {run["key"]: json.loads(run["provenance"])["data"]["counts"] for run in runs}
    return {key: Rows(count["train"]["n"], count["test"]["n"]) for key, count in counts.items()}


def source_of(name: str, figures: Sequence[str] = ()) -> Source:
    """Return where a data set of ``conf/dataset/``, which published figures use, comes from."""
    import yaml  # type: ignore[import-untyped]

    spec: dict[str, Any] = yaml.safe_load((DATA_SETS / f"{name}.yaml").read_text(encoding="utf-8"))
    files = spec.get("files", [])
    suffixes = ("", *PACKED_SUFFIXES)
    bundled = all(any((BUNDLED / f"{file['name']}{suffix}").is_file() for suffix in suffixes) for file in files)
    addressed = all("url" in file for file in files)
    return Source(
        name,
        _in_markdown(spec["source"]),
        _in_markdown(spec["licence"]),
        _in_markdown(spec.get("stand_in", "")),
        [_in_markdown(remark) for remark in spec.get("remarks", [])],
        "this project" if bundled else "its address" if addressed else "no address",
        "checksum" if all("sha256" in file for file in files) else "counts",
        figures,
    )


def _in_markdown(text: str) -> str:
    """Return a text with links in place of its addresses, and with one full stop at its end."""
    parts = re.split(r"(https?://[^\s),;]*[^\s),;.])", text.strip().rstrip("."))
    linked = "".join(f"<{part}>" if k % 2 else escaped(f"|{part}|")[2:-2] for k, part in enumerate(parts))
    return f"{linked}." if linked else ""
