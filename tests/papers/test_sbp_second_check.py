"""A second computation of one statistic of the SBP paper, from data.csv and by other code."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from evidence_cases import evidence
from lemma_cases import lemma_panel, power
from readings import claims_of, on_all, reading

from svm_cost_curves.experiments.papers.sbp.lemmas import make
from svm_cost_curves.experiments.reproduction.spec import read_figure


def slope_of_the_mean_distance(data: pd.DataFrame, start: float = 1.0) -> float:
    """Return the exponent of T in the mean distance from the optimum (Lemma 3.2), of one data set."""
    late = data[data["iterations"] >= start / data["optimum"] ** 2].groupby("iterations")["gap"].mean()
    return float(np.polyfit(np.log(late.index.to_numpy()), np.log(late.to_numpy()), 1)[0])


def test_lemma_3_2_from_the_written_data() -> None:
    spec = read_figure("sbp_lemmas")
    made = make(evidence(spec, on_all(lemma_panel(power(0.55, spread=0.02)), spec.datasets)))
    written = pd.read_csv(StringIO(made.data.to_csv(index=False)))
    claim = claims_of(made)["sbp.rate"]
    judged = reading(claim, "order").statistic["adult"]["order"]["exponent"]["estimate"]
    # data.csv names the data sets that were used; here all three panels have the same runs
    first = written[written["dataset"] == "adult"]
    assert slope_of_the_mean_distance(first) == pytest.approx(judged, abs=1e-6)
