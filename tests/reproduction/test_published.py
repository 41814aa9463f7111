"""Published evidence gives the figure of its runs again; damage is noticed and named."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from evidence_cases import finished_run, put_evidence
from hypothesis import given, settings
from hypothesis import strategies as st
from published_cases import FIGURE, copied, publish, reproduce

from svm_cost_curves import datasets
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.reproduction import published
from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.evidence import _resolved
from svm_cost_curves.experiments.reproduction.figure_commands import last_verdict
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.publish import MOST_BYTES, evidence_key, write_json, write_tables
from svm_cost_curves.experiments.reproduction.published import (
    EVIDENCE,
    FORMAT,
    POINTS,
    RUNS,
    SERIES,
    SUMS,
    EvidenceError,
    checksum,
    figure_runs,
    read_facts,
    read_series,
    read_table,
    same_values,
    write_sums,
)
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.store import Store, run_folder
from svm_cost_curves.experiments.store.run_folder import read_curve


def test_evidence_gives_the_figure_again_without_a_store(made: Path, tmp_path: Path) -> None:
    words = ("scale=demo", "from=evidence", f"figures={tmp_path}", f"store={tmp_path / 'none'}")
    assert reproduce(made, *words) == 0
    assert not (tmp_path / "none").exists()
    first, again = made / "figures" / "mine_x" / "demo", tmp_path / "mine_x" / "demo"
    assert (first / "data.csv").read_bytes() == (again / "data.csv").read_bytes()
    old, new = (json.loads((folder / "verdict.json").read_text()) for folder in (first, again))
    assert (old["claims"], old["numbers"]) == (new["claims"], new["numbers"])


def test_times_that_are_equal_in_single_precision_are_equal_in_a_figure_from_the_store(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crowded(content: bytes) -> pd.DataFrame:
        curve = read_curve(content)
        return curve.assign(cpu_seconds=1 + 1e-9 * curve["iterations"].to_numpy(float))

    monkeypatch.setattr(run_folder, "read_curve", crowded)
    places = [f"{name}={tmp_path / name}" for name in ("figures", "evidence")]
    assert reproduce(made, "scale=demo", *places) == 0
    assert reproduce(made, "publish", "scale=demo", *places) == 0
    assert reproduce(made, "scale=demo", "from=evidence", f"figures={tmp_path / 'again'}", places[1]) == 0
    drawn = [(tmp_path / name / "mine_x" / "demo" / "data.csv").read_bytes() for name in ("figures", "again")]
    assert drawn[0] == drawn[1]
    assert len(figure_runs(tmp_path / "evidence", "mine_x")) == 3


@pytest.fixture
def evidence(made: Path, tmp_path: Path) -> Path:
    """A copy of the evidence."""
    return copied(made, tmp_path)[0]


FILES = ("mine_x.json", *(f"mine_x/{name}.parquet" for name in (RUNS, POINTS, SERIES)), SUMS)


@pytest.mark.parametrize("command", [("from=evidence",), ("check",), ("publish", "from=evidence")])
def test_a_changed_digit_is_noticed(
    evidence: Path, command: tuple[str, ...], made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = evidence / "mine_x.json"
    changed = path.read_text().replace('"seeds": 2', '"seeds": 3')
    assert changed != path.read_text()
    path.write_text(changed, encoding="utf-8")
    assert reproduce(made, *command, "scale=demo", f"evidence={evidence}") == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert "mine_x.json has changed: its checksum is not that in SHA256SUMS; restore the evidence, or, if you" in line


def test_the_committed_checksums_are_those_of_the_committed_files() -> None:
    known = dict(reversed(line.split("  ")) for line in (EVIDENCE / SUMS).read_text(encoding="ascii").splitlines())
    files = [path for path in EVIDENCE.rglob("*") if path.is_file() and path.name != SUMS]
    assert known == {path.relative_to(EVIDENCE).as_posix(): checksum(path) for path in files}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_damaged_tables_are_not_overwritten_as_other_figures_have_runs_in_them(
    made: Path, evidence: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("publish", "scale=demo", f"evidence={evidence}")
    (evidence / "mine_x.json").write_bytes(b"damaged")
    assert reproduce(made, *words) == 0
    (evidence / "mine_x" / f"{RUNS}.parquet").write_bytes(b"damaged")
    assert reproduce(made, *words) == 2
    assert "mine_x/runs.parquet has changed" in capsys.readouterr().err
    shutil.rmtree(evidence / "mine_x")
    assert reproduce(made, *words) == 0
    assert reproduce(made, "scale=demo", "from=evidence", words[-1]) == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("name", ["mine_x.json", f"mine_x/{SERIES}.parquet"])
def test_a_foreign_file_with_its_checksum_is_named(name: str, content: bytes, evidence: Path) -> None:
    (evidence / name).write_bytes(content)
    write_sums(evidence, name)
    with pytest.raises(EvidenceError, match=f"{name} is not .*: restore it"):
        figure_runs(evidence, "mine_x")


def test_wrong_requests_are_refused(made: Path, evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        assert reproduce(made, *words, f"evidence={evidence}") == 2
        return capsys.readouterr().err

    path, wanted = evidence / "mine_x.json", ("scale=demo", "from=evidence")
    assert "the evidence of mine_x is of scale=demo, not of scale=quick" in refused("scale=quick", "from=evidence")
    assert "mine_x lacks 1 run: make the figure first" in refused("publish", "scale=quick")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}), encoding="utf-8")
    write_sums(evidence, path.name)
    assert "mine_x.json has the format 99; this version reads format 3" in refused(*wanted)
    path.unlink()
    assert "there is no evidence of mine_x" in refused(*wanted)


@pytest.mark.parametrize(
    "words",
    [
        ("from=evidence", "scale=demo"),
        ("check", "scale=demo"),
        ("publish", "from=evidence", "scale=demo"),
        ("figure=all", "from=evidence"),
        ("figure=report", "from=evidence"),
        ("publish", "figure=report"),
    ],
)
def test_where_evidence_comes_from_is_said_where_there_is_none(
    words: tuple[str, ...], made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "evidence"
    named = any(word.startswith("figure=") for word in words)
    figure = () if named else (f"figure={made / 'mine_x.yaml'}",)
    assert main([*words, *figure, f"evidence={folder}", f"report={tmp_path / 'report'}", f"store={tmp_path}"]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert re.match("error: there is no evidence( of [a-z_]+)? in ", line)
    assert line.endswith("get one of them and add evidence=FOLDER")
    assert f"in {folder}: it is a folder of the project's repository" in line


def test_an_installed_package_gets_no_evidence_of_its_own(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(published, "EVIDENCE", tmp_path / "evidence")
    assert reproduce(made, "publish", "scale=demo", f"evidence={tmp_path / 'evidence'}") == 2
    assert "no checkout of the project: add evidence=FOLDER" in capsys.readouterr().err
    assert not (tmp_path / "evidence").exists()


def test_a_measure_that_is_read_and_was_not_published_is_named(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, runs = copied(made, tmp_path)
    publish(folder, {key: replace(run, points=run.points[["iterations"]]) for key, run in runs.items()})
    assert reproduce(made, "scale=demo", "from=evidence", f"evidence={folder}") == 2
    assert "the evidence lacks the column" in capsys.readouterr().err


def test_series_with_the_fields_of_an_earlier_version_are_to_be_published_again() -> None:
    published = {"options": {}, "series": [{"name": "smo", "beside": True}], "title": "", "timed": False}
    with pytest.raises(EvidenceError, match="of sbp_toy has series of an earlier version: publish it again"):
        _resolved(FigureSpec(id="sbp_toy"), Options("paper"), published)


@pytest.mark.usefixtures("evidence")
def test_a_removed_run_is_reported_as_missing(tmp_path: Path) -> None:
    text = FIGURE.replace("demo: {seeds: 2}", "demo: {seeds: 3}")
    (tmp_path / "mine_x.yaml").write_text(text, encoding="utf-8")
    assert reproduce(tmp_path, "scale=demo", "from=evidence") == 3
    verdict = json.loads((tmp_path / "figures" / "mine_x" / "demo" / "verdict.json").read_text())
    assert verdict["missing"] == {"synthetic: sbp": "of 3 runs 1 not made"}


def test_uncommitted_changes_are_refused_at_the_paper_s_scale_or_marked(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("figure_commands", "build"):
        module = f"svm_cost_curves.experiments.reproduction.{name}" + (".provenance" if name == "build" else "")
        monkeypatch.setattr(f"{module}.git_state", lambda _: ("c" * 40, True))
    shutil.copytree(made / "store", tmp_path / "store")
    shutil.copy(made / "mine_x.yaml", tmp_path)
    for words in (("scale=paper",), ("publish", "scale=paper")):
        assert reproduce(tmp_path, *words) == 2
        assert (
            "differs from its commit cccccccccccc: commit the changes, or add uncommitted=m" in capsys.readouterr().err
        )
    assert not (tmp_path / "figures").exists()
    assert reproduce(tmp_path, "scale=paper", "--dry-run") == 0
    assert reproduce(tmp_path, "scale=paper", "uncommitted=yes") == 2
    assert "uncommitted: input should be 'marked', got 'yes'" in capsys.readouterr().err
    assert reproduce(tmp_path, "scale=paper", "uncommitted=marked") == 0
    assert "made with uncommitted changes" in capsys.readouterr().out
    folder = tmp_path / "figures" / "mine_x" / "paper"
    assert json.loads((folder / "verdict.json").read_text())["dirty"] is True
    assert "the figure was made with uncommitted changes" in (folder / "verdict.md").read_text()
    assert "with uncommitted changes" in last_verdict(folder)


SECONDS = st.floats(0, 1e6, width=32)
EVALUATIONS = st.tuples(st.integers(0, 2**53 - 1), SECONDS, st.none() | st.floats(-1e300, 1e300))


@settings(max_examples=40)
@given(st.lists(st.lists(EVALUATIONS, min_size=1, max_size=6), min_size=1, max_size=3))
def test_runs_are_read_as_they_were_written(curves: list[list[tuple[int, float, float | None]]]) -> None:
    runs = []
    for seed, points in enumerate(curves):
        columns = [sorted(point[0] for point in points), sorted(point[1] for point in points)]
        rows = [
            {"iterations": count, "cpu_seconds": time, "test_error": 0.25, "primal": value}
            for count, time, (*_, value) in zip(*columns, points, strict=True)
        ]
        runs.append(finished_run(seed=seed, rows=rows))
    with tempfile.TemporaryDirectory() as name:
        put_evidence(Path(name), "sbp_x", runs)
        published = figure_runs(Path(name), "sbp_x")
    for run in runs:
        told = run.result | {"provenance": {**run.result["provenance"]}}
        del told["key"], told["provenance"]["command"]
        assert published[run.key].result == told
        read = published[run.key].curve
        for column in (name for name in run.curve.columns if name not in ("cpu_seconds", "wall_seconds")):
            pd.testing.assert_series_equal(run.curve[column], read[column], check_exact=True)
        seconds = run.curve["cpu_seconds"].to_numpy().astype("float32")
        assert read["cpu_seconds"].to_numpy().tolist() == seconds.tolist()


ROWS = [{"iterations": 1, "epochs": 0.5, "cpu_seconds": 0.1, "wall_seconds": 0.1, "test_error": 0.2, "primal": 0.3}]


def test_figures_of_a_paper_share_runs_and_those_of_no_figure_go(tmp_path: Path) -> None:
    first, second, third = (finished_run(seed=seed, rows=ROWS) for seed in range(3))
    put_evidence(tmp_path, "sbp_a", [first, second])
    put_evidence(tmp_path, "sbp_b", [second, third])
    put_evidence(tmp_path, "simba_a", [third], tables="simba")
    keys = [key for name in ("sbp", "simba") for key in read_table(tmp_path, name, RUNS)["key"].to_pylist()]
    assert sorted(keys) == sorted([first.key, second.key, third.key, third.key])
    put_evidence(tmp_path, "sbp_b", [third])
    assert {*figure_runs(tmp_path, "sbp_a")} == {first.key, second.key}
    put_evidence(tmp_path, "sbp_a", [first])
    assert {*read_table(tmp_path, "sbp", RUNS)["key"].to_pylist()} == {first.key, third.key}
    assert {*read_table(tmp_path, "sbp", POINTS)["key"].to_pylist()} == {first.key, third.key}
    assert [row["key"] for row in read_table(tmp_path, "sbp", SERIES).to_pylist()] == [first.key, third.key]


def test_points_have_the_columns_that_the_figure_reads(made: Path) -> None:
    """The figure draws test errors against kernel evaluations, its table of points has epochs as well."""
    stored = {run.key: run.curve for run in Store.at(made / "store").runs()}
    read = figure_runs(made / "evidence", "mine_x")
    assert stored.keys() == read.keys()
    for key, run in read.items():
        names = [*run.curve.columns]
        assert {"iterations", "kernel_evaluations", "test_error"} <= {*names}
        assert {"primal", "dual", "norm", "hinge", "train_error"} & {*names} == set()
        published, made_here = (curve[names].to_numpy(dtype=float) for curve in (run.curve, stored[key]))
        assert published == pytest.approx(made_here, rel=1e-6)


def test_a_run_of_two_figures_has_the_columns_of_both(tmp_path: Path) -> None:
    run = finished_run(rows=[{"iterations": 1, "test_error": 0.5, "primal": 2.0, "norm": 3.0}])
    rows = [{"panel": "adult", "dataset": "adult", "series": "sbp", "seed": 0, "key": run.key, "settings": ""}]
    for figure, name in (("a", "test_error"), ("b", "primal")):
        figure_rows = [{"figure": figure, **row} for row in rows]
        write_tables(tmp_path, "sbp", figure, figure_rows, {run.key: ("k", run)}, ["iterations", name])
        write_json(tmp_path / f"{figure}.json", {"format": FORMAT, "figure": figure, "tables": "sbp"})
        write_sums(tmp_path, f"{figure}.json")
    assert [*figure_runs(tmp_path, "a")[run.key].curve.columns] == ["iterations", "test_error", "primal"]


def test_published_runs_do_not_tell_the_command_which_may_name_folders(made: Path) -> None:
    tables = [*(made / "evidence").glob(f"*/{RUNS}.parquet"), *EVIDENCE.glob(f"*/{RUNS}.parquet")]
    assert len(tables) > 5
    for path in tables:
        for provenance in pq.read_table(path, columns=["provenance"])["provenance"].to_pylist():
            assert "command" not in json.loads(provenance)


def test_results_of_one_paper_may_have_other_entries(tmp_path: Path) -> None:
    first, second = finished_run(rows=ROWS, communication={"messages": 3}), finished_run(seed=1, rows=ROWS)
    for figure, run in (("sbp_a", first), ("sbp_b", second), ("sbp_c", first)):
        put_evidence(tmp_path, figure, [run])
    assert figure_runs(tmp_path, "sbp_c")[first.key].result["communication"] == {"messages": 3}
    assert "communication" not in figure_runs(tmp_path, "sbp_b")[second.key].result


def test_a_table_without_a_run_that_a_figure_draws_is_named(tmp_path: Path) -> None:
    first, second = (finished_run(seed=seed, rows=ROWS) for seed in range(2))
    put_evidence(tmp_path, "sbp_a", [first, second])
    short = read_table(tmp_path, "sbp", RUNS).slice(0, 1)
    pq.write_table(short, tmp_path / "sbp" / f"{RUNS}.parquet")
    write_sums(tmp_path, f"sbp/{RUNS}.parquet")
    with pytest.raises(EvidenceError, match=r"sbp/runs.parquet or points.parquet lacks the run"):
        figure_runs(tmp_path, "sbp_a")


def test_evidence_that_is_too_large_is_refused_and_changes_nothing(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("svm_cost_curves.experiments.reproduction.publish.MOST_BYTES", 1000)
    assert reproduce(made, "publish", "scale=demo", f"evidence={tmp_path / 'evidence'}") == 2
    assert "the evidence would have 0.0" in capsys.readouterr().err
    assert not (tmp_path / "evidence").exists()


@given(st.floats(-1e9, 1e9), st.sampled_from([1e-11, 1e-6]))
def test_values_are_the_same_up_to_the_last_bits(value: float, change: float) -> None:
    one, other = ({"a": [number, "text", None, True]} for number in (value, value * (1 + change)))
    assert same_values(one, other) == (change < 1e-9 or abs(value * change) < 1e-300)
    assert not same_values(one, {"a": [value, "text", None]})
    assert not same_values(one, {"b": [value, "text", None, True]})
    assert not same_values(one, {"a": [value, "other", None, True]})


def test_a_stated_fingerprint_is_the_fingerprint_where_all_checksums_are_stated() -> None:
    for name in ("adult", "digits", "synthetic"):
        spec = settings_of(["algo=pegasos", f"dataset={name}"]).dataset
        assert datasets.stated_fingerprint(spec) == datasets.fingerprint(spec)


def test_a_published_run_is_found_without_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a file of data is wanted")

    for name in ("fetch", "known_checksum", "read"):
        monkeypatch.setattr(f"svm_cost_curves.datasets.loader.{name}", refuse)
    runs = [settings_of(["algo=simba", f"dataset={name}"]) for name in ("newsgroups_binary", "newsgroups_mac_pc")]
    assert not any(file.sha256 for run in runs for file in run.dataset.files)
    assert len({evidence_key(run) for run in runs}) == 2


def test_a_published_run_is_found_on_a_machine_with_other_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for size in (25e9, 26e9):
        monkeypatch.setattr("svm_cost_curves.datasets.types.machine_memory", lambda size=size: size)
        run = settings_of(["algo=libsvm", "dataset=adult"])  # what it reaches in a given time depends on the memory
        assert run.identity()["clock"]["memory"] == 0.75 * size
        keys.add(evidence_key(run))
    assert len(keys) == 1


@pytest.mark.parametrize(
    "figure", ["asset_lambda", "elsewhere_asset_time", "minibatch_fig1", "sbp_fig2", "which_kernel_solver"]
)
def test_the_settings_beside_a_published_run_make_this_run(figure: str) -> None:
    facts = read_facts(EVIDENCE, figure)
    *_, row = read_series(EVIDENCE, facts)
    known = read_table(EVIDENCE, facts["tables"], RUNS).select(["key", "settings_key"]).to_pylist()
    run = settings_of([*shlex.split(row["settings"]), f"seed={row['seed']}"], jobs=2)
    assert row["seed"] > 0
    assert evidence_key(run) == {entry["key"]: entry["settings_key"] for entry in known}[row["key"]]
