"""Citations of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Paper:
    """Citation of a paper."""

    title: str
    authors: str = ""
    venue: str = ""
    year: int | None = None
    about: str = "What the paper says and prints, beside what was measured here."
    """First sentence of its scorecard."""
    name: str = ""
    """Short name, by its method."""

    @property
    def citation(self) -> str:
        """Authors and year, if known; otherwise the title."""
        return " ".join(filter(None, (self.authors or self.title, str(self.year or ""))))

    @property
    def source(self) -> str:
        """Authors, venue and year."""
        return ", ".join(filter(None, (self.authors, f"{self.venue} {self.year or ''}".strip())))


PAPERS: Final[Mapping[str, Paper]] = {
    "sbp": Paper(
        "The Kernelized Stochastic Batch Perceptron",
        "Cotter, Shalev-Shwartz, Srebro",
        "ICML",
        2012,
        name="Stochastic Batch Perceptron (SBP)",
    ),
    "simba": Paper("Beating SGD: Learning SVMs in Sublinear Time", "Hazan, Koren, Srebro", "NIPS", 2011, name="SIMBA"),
    "sgdr": Paper(
        "The Stochastic Gradient Descent for the Primal L1-SVM Optimization Revisited",
        "Panagiotakopoulos, Tsampouka",
        "ECML PKDD",
        2013,
        name="SGD revisited",
    ),
    "minibatch": Paper(
        "Mini-Batch Primal and Dual Methods for SVMs",
        "Takáč, Bijral, Richtárik, Srebro",
        "ICML",
        2013,
        name="Mini-batches",
    ),
    "asset": Paper(
        "ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector Machines",
        "Lee, Wright",
        year=2011,
        name="ASSET",
    ),
}
"""By key, the first part of a figure's id."""


OTHERS: Final[Mapping[str, Paper]] = {
    "elsewhere": Paper(
        "The claims of the papers on other data sets",
        about="Each claim by its own rule on data that its paper did not use; docs/elsewhere.md has the protocol.",
    ),
    "which": Paper(
        "Which solver for my data?",
        about="What each solver spends to reach equal error, on the data sets of docs/elsewhere.md.",
    ),
    "": Paper("Figures of no paper", about="What was measured, and what was expected."),
}
"""Headings of figures that are not of one of the papers, by the first part of their ids."""


def paper_named(key: str) -> Paper:
    """Return the citation of a paper; an unknown one has its key as title."""
    return {**PAPERS, **OTHERS}.get(key, Paper(key))


def place_of(label: str, key: str, *, title: bool = False) -> str:
    """Return a figure's label and paper: ``Figure 2 of Cotter 2012``; without a paper, the label."""
    paper = paper_named(key)
    return label if key in OTHERS else f"{label} of {paper.citation}{f', {paper.title}' if title else ''}"
