"""The data statement names the data of all figures of the papers, and its page has the rows of the published runs."""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.data_statement import (
    DATA_STATEMENT,
    DataStatementError,
    origin_of_data,
    paper_data,
    read_statement,
)
from svm_cost_curves.experiments.reproduction.evidence import from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.data_page import data_page
from svm_cost_curves.experiments.reproduction.spec import DATA_SETS, FigureSpec, catalogue, read_figure

FIELDS = ("name", "train", "test", "changes")
STATEMENT = yaml.safe_load(DATA_STATEMENT.read_text(encoding="utf-8"))
STATUS = {"paper": "the same file", "part": "part", "surrogate": "surrogate"}


def conf(dataset: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DATA_SETS / f"{dataset}.yaml").read_text(encoding="utf-8"))
    return content


def figures_of(paper: str) -> list[FigureSpec]:
    return [read_figure(name) for name, other in catalogue().items() if other == paper]


@pytest.mark.parametrize("paper", PAPERS)
def test_all_data_sets_of_the_figures_are_named_and_no_others(paper: str) -> None:
    used = {name for spec in figures_of(paper) for name in (*spec.datasets, *spec.missing_data)}
    assert paper_data(paper).keys() == {name for name in used if conf(name)["kind"] != "synthetic"}
    assert all(known.name for known in paper_data(paper).values())


def test_the_papers_rows_are_those_that_they_print() -> None:
    printed = {
        (spec.paper, *number.name.split(" rows of ")): int(number.paper)
        for paper in PAPERS
        for spec in figures_of(paper)
        for number in spec.numbers
        if " rows of " in number.name
    }
    exchanged = ("sbp", "training", "adult")
    assert sorted(str(printed.pop(exchanged))) == sorted(str(paper_data("sbp")["adult"].train))
    for (paper, part, dataset), rows in printed.items():
        known = paper_data(paper)[dataset]
        assert (known.train if part == "training" else known.test) == rows
    assert {paper for paper, _, _ in printed} == {"sbp", "minibatch", "asset"}


@pytest.mark.parametrize("paper", ["simba", "sgdr"])
def test_the_rows_of_papers_without_a_table_are_all_rows_of_the_published_files(paper: str) -> None:
    for dataset, known in paper_data(paper).items():
        assert (known.train or 0) + (known.test or 0) == conf(dataset)["expected_train"]["n"]


@cache
def page() -> str:
    return data_page(EVIDENCE)


@cache
def sections() -> dict[str, str]:
    """The section of each paper."""
    parts = dict(part.split("\n", 1) for part in page().split("\n## ")[1:])
    return {paper: parts[cited.title] for paper, cited in PAPERS.items()}


def cells(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@cache
def published(paper: str) -> pd.DataFrame:
    """The published runs of a paper by figure, with their rows."""
    runs = pd.read_parquet(EVIDENCE / paper / "runs.parquet", columns=["key", "provenance"])
    counts = [json.loads(text)["data"]["counts"] for text in runs.pop("provenance")]
    sizes = [f"{count['train']['n']:,} / {count['test']['n']:,}" for count in counts]
    return pd.read_parquet(EVIDENCE / paper / "series.parquet").merge(runs.assign(rows=sizes), on="key")


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_has_the_rows_of_the_published_runs(paper: str) -> None:
    runs, names = published(paper), {known.name: key for key, known in paper_data(paper).items()}
    shown = cells(sections()[paper])
    assert {row[0] for row in shown} == names.keys()
    for name, printed, dataset, status, rows, share in shown:
        if share != "\N{EM DASH}":
            here, there = (int(text.partition(" / ")[0].replace(",", "")) for text in (rows, printed))
            assert float(share.removesuffix(" %")) == pytest.approx(100 * here / there, abs=0.5)
        of_set = runs[(runs["panel"] == names[name]) & (runs["dataset"] == dataset)]
        assert of_set.empty == (status == "not at hand")
        by_size = of_set.groupby("rows")["figure"].nunique()
        assert of_set.empty or by_size[rows] == by_size.max()
        note = next((line for line in sections()[paper].splitlines() if line.startswith(f"- **{name}.**")), "")
        for other, figures in of_set[of_set["rows"] != rows].groupby("rows")["figure"]:
            assert all(re.search(rf"{other} rows in [\w, ]*\b{figure}\b", note) for figure in figures.unique())
    made = runs[~runs["panel"].isin(names.values())]["figure"].unique()
    assert all(figure in sections()[paper] for figure in made)


@pytest.mark.parametrize("figure", ["asset_theory", "sbp_table2", "simba_fig1", "sgdr_bounds", "minibatch_table1"])
def test_the_page_and_the_verdicts_call_the_data_the_same(figure: str, tmp_path: Path) -> None:
    """The page is asked about one figure alone, as other figures may use other rows."""
    spec = read_figure(figure)
    place = tmp_path / "evidence"
    place.mkdir()
    for file in (spec.paper, f"{figure}.json", "SHA256SUMS"):
        (place / file).symlink_to(EVIDENCE / file)
    known = paper_data(spec.paper)
    part = data_page(place).split(f"## {PAPERS[spec.paper].title}\n")[1].split("\n## ")[0]
    shown = {row[0]: row[3] for row in cells(part)}
    panels = from_evidence(spec, Options("paper"), place).panels
    assert panels
    for panel in panels:
        of_paper = known[panel.paper_dataset]
        origin = origin_of_data(of_paper, panel.dataset, panel.n, stands_in=bool(panel.stand_in))
        assert shown[of_paper.name] == STATUS[origin]


def test_the_page_names_the_figures_that_others_cannot_make() -> None:
    users: defaultdict[str, set[str]] = defaultdict(set)
    for paper in PAPERS:
        for dataset, figures in published(paper).groupby("dataset")["figure"]:
            users[str(dataset)] |= {*figures}
    who = page().split("\n## Who can have the data\n")[1].split("\n## ")[0]
    shown = {name: (had_from, int(count) if count.isdigit() else 0) for name, had_from, _, count in cells(who)}
    assert {name: count for name, (_, count) in shown.items() if count} == {
        name: len(figures) for name, figures in users.items() if conf(name)["kind"] != "synthetic"
    }
    for name, (had_from, _) in shown.items():
        listed = next((line for line in who.splitlines() if line.startswith(f"- `{name}`.")), None)
        assert (listed is None) == (had_from != "no address")
        assert listed is None or set(re.findall(r"\b(?:sbp|simba|sgdr|minibatch|asset)_\w+", listed)) == users[name]


def refused(text: str) -> str:
    """The message on a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "statement.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataStatementError) as error:
            read_statement(path)
    return str(error.value)


wrong_counts = st.integers(max_value=0) | st.text(st.characters(categories=["L"])) | st.lists(st.integers())
wrong_texts = st.lists(st.text()) | st.none() | st.dictionaries(st.text(), st.text())


@given(st.data())
def test_an_entry_with_a_wrong_value_or_name_is_refused_in_one_sentence(data: st.DataObject) -> None:
    paper = data.draw(st.sampled_from(sorted(STATEMENT)))
    dataset = data.draw(st.sampled_from(sorted(STATEMENT[paper])))
    names = st.text(st.characters(categories=["Ll"]), min_size=1).filter(lambda name: name not in FIELDS)
    field = data.draw(st.sampled_from(FIELDS) | names)
    wrong = data.draw(wrong_counts if field in ("train", "test") else wrong_texts)
    entry = STATEMENT[paper][dataset] | {field: wrong}
    said = refused(yaml.safe_dump({paper: {dataset: entry}}, allow_unicode=True))
    assert said.startswith(f"statement.yaml: {paper}.{dataset}.{field}: ")
    assert "\n" not in said


@pytest.mark.parametrize("text", ["", "sbp", "sbp: [", "sbp: 3", "sbp: {adult: 3}", "sbp: {adult: [train]}", "3: 4"])
def test_a_file_of_another_form_is_refused_in_one_sentence(text: str) -> None:
    said = refused(text)
    assert re.fullmatch(r".*statement\.yaml.*: .+", said)


@pytest.mark.parametrize(("train", "origin"), [(32_561, "paper"), (1000, "part"), (None, "paper")])
def test_fewer_rows_than_the_papers_are_a_part(train: int | None, origin: str) -> None:
    adult, covtype = paper_data("sbp")["adult"], paper_data("sbp")["covtype"]
    assert origin_of_data(adult, "adult", train, stands_in=False) == origin
    assert origin_of_data(adult, "digits", train, stands_in=True) == "surrogate"
    assert origin_of_data(None, "synthetic", train, stands_in=False) == "own"
    assert origin_of_data(covtype, "covtype_subset", train, stands_in=True) == "part"
