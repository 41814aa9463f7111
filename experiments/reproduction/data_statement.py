"""Reads which data sets each paper uses, and of what size, from ``conf/data_statement.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import PositiveInt, TypeAdapter

from ..provenance import PROJECT_ROOT
from .claim_spec import Described, read_yaml

DATA_STATEMENT = PROJECT_ROOT / "conf" / "data_statement.yaml"


Origin = Literal["paper", "part", "surrogate", "own"]
"""Data of a case: the rows that the paper used; a part of them; other data in their place; a problem that no paper has.

A data set that has fewer training rows than the paper's is a part, whichever rows it has.
"""


class DataStatementError(ValueError):
    """The file of the data statement has a wrong form."""


@dataclass
class PaperData(Described):
    """A data set as a paper uses it, by its name in the paper."""

    name: str = ""
    train: PositiveInt | None = None
    test: PositiveInt | None = None
    """Rows that the paper trains and tests on; None: not printed and not known, or the paper has no test rows."""
    changes: str = ""
    """What a reader must expect to differ with the data used here, in one sentence."""
    parts: list[str] = field(default_factory=list)
    """Stand-ins that are rows of this data set, with the same labels."""


def origin_of_data(of_paper: PaperData | None, dataset: str, train: int | None, *, stands_in: bool) -> Origin:
    """Tell whether the data set that was used is the paper's, a part of it, a surrogate, or of no paper."""
    if stands_in:
        return "part" if of_paper is not None and dataset in of_paper.parts else "surrogate"
    if of_paper is None:
        return "own"
    return "part" if of_paper.train is not None and train is not None and train < of_paper.train else "paper"


def paper_data(paper: str) -> Mapping[str, PaperData]:
    """Return the data sets of a paper by their names in its figures' files; empty for a paper without an entry."""
    return read_statement().get(paper, {})


@cache  # the file is part of the project: it does not change while a program runs
def read_statement(path: Path = DATA_STATEMENT) -> Mapping[str, Mapping[str, PaperData]]:
    """Return the data sets of each paper.

    Raises DataStatementError if the file has a wrong form.
    """
    return read_yaml(path, TypeAdapter(dict[str, dict[str, PaperData]]), DataStatementError)
