"""Writes the cases of claims as CSV: a row for each claim, reading and case."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Final, TextIO

from svm_cost_curves.experiments.reproduction.verdict import Claim

CASES: Final = "cases.csv"
"""Name of the file."""


def write_cases(file: TextIO, claims: Sequence[Claim]) -> None:
    """Write the cases of claims, each with its ruling, measurement and note, into a file opened as text."""
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["claim", "reading", "data set", "case", "ruling", "measured", "note"])
    for claim in claims:
        for reading in claim.readings:
            for case in reading.rulings:
                words = (case.about or case.name, case.ruling, case.measured, case.note)
                rows.writerow([claim.id, reading.id, case.dataset, *words])
