"""Publishes figures: their rows in the tables of their paper, and their JSON files; plans the published runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ... import datasets, solvers
from ...datasets import DataError, DatasetSpec
from ...support.files import temporary_folder, write_file
from ...support.text import number_of
from ..columns import COLUMNS, COUNTS
from ..configuration.settings import RunSettings
from ..provenance import commit_text
from ..run.identity import settings_key
from .build import agree, build_figure, evidence_of, judge, with_computed, with_origin
from .evidence import Evidence, Run, facts_at_scale, from_evidence
from .options import Options
from .plan import Plan, PlannedPanel, Planner
from .published import (
    FORMAT,
    POINTS,
    RUNS,
    SCALARS,
    SERIES,
    SINGLE,
    TABLES,
    EvidenceError,
    MissingColumnError,
    PublishedRun,
    changing,
    figure_runs,
    published_figures,
    read_facts,
    read_table,
    write_sums,
)
from .spec import FigureSpec
from .verdict import Verdict, as_json

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

MOST_BYTES: Final = 30_000_000
"""Most bytes of all files of evidence: they are in the repository."""
_LOCAL: Final = ("artifacts", "key")
"""Entries of result.json that only its machine needs, or that are columns of their own."""


def evidence_key(settings: RunSettings) -> str:
    """Return the key of a run's settings in the evidence, whatever the build and the machine's memory.

    No file of data is needed.
    """
    identity = {name: value for name, value in settings.identity().items() if name != "clock"}
    return settings_key(identity, datasets.stated_fingerprint(settings.dataset))


def published_plan(spec: FigureSpec, options: Options, folder: Path) -> Plan:
    """Return the plan of a published figure with its runs, which are found by their settings: to make them again.

    Errors are those of `from_evidence`.
    """
    facts = facts_at_scale(folder, spec.id, options.scale)
    runs = figure_runs(folder, spec.id)
    rows = read_table(folder, facts["tables"], RUNS).select(["key", "settings_key"]).to_pylist()
    published = {row["settings_key"]: runs[row["key"]] for row in rows if row["key"] in runs}

    def find(keys: Collection[str]) -> Mapping[str, Run]:
        return {key: published[key] for key in keys if key in published}

    def refuse_absent(data: DatasetSpec) -> None:
        if data.name in facts["absent"]:
            raise DataError(facts["absent"][data.name])

    return Planner(find, refuse_absent, key=evidence_key).plan(spec, options)


def offer(plan: Plan, folder: Path) -> list[str]:
    """Return the line that says that a figure with missing runs is published; empty if it is not, at this scale."""
    figure = plan.spec.id
    if not plan.missing or figure not in published_figures(folder):
        return []
    facts, here = read_facts(folder, figure), solvers.build_info()
    if facts["scale"] != plan.options.scale:
        return []
    builds = [run.result["provenance"]["build"] for run in figure_runs(folder, figure).values()]
    same = all((build.get("build_id"), build.get("isa")) == (here["build_id"], here["isa"]) for build in builds)
    build = "this build" if same else "another build"
    return [f"  runs of {build} are published: from=evidence draws and judges them without making any"]


def publish(plan: Plan, folder: Path, command: str) -> tuple[Verdict, int]:
    """Write the evidence of a figure and judge it from what was written; an error or a kill changes no file.

    Return the verdict, and the bytes of all evidence.

    Raises EvidenceError if runs are missing, or the files are too large; see also `published.changing`.
    """
    figure = plan.spec.id
    if plan.missing:
        raise EvidenceError(f"{figure} lacks {number_of(len(plan.missing), 'run')}: make the figure first")
    evidence = with_computed(evidence_of(plan, {}))
    columns = read_columns(evidence, plan.options, command)
    with changing(folder) as draft:
        _write_evidence(draft, plan, evidence, columns, command)
        _, verdict = judge(from_evidence(plan.spec, plan.options, draft), command)
        write_verdict(draft, figure, as_json(verdict))
        size = check_size(draft)
    return verdict, size


def read_columns(evidence: Evidence, options: Options, command: str) -> set[str]:
    """Return the columns of curves that a figure reads: without one of them it cannot be judged or drawn.

    Others are not published, because all of them would take three times the room. Raises EvidenceError if the figure
    is judged otherwise from these columns, which happens where its module asks whether a column is there.
    """
    columns = {"iterations"}
    with temporary_folder() as temporary:
        while True:
            try:
                verdict = build_figure(_with_columns(evidence, columns), options, temporary / "figure", command)
                break
            except MissingColumnError as error:
                columns.add(error.name)
    if not agree(verdict, as_json(judge(evidence, command)[1])):
        raise EvidenceError(f"{evidence.spec.id} is judged otherwise from {', '.join(sorted(columns))} alone")
    return columns


def _with_columns(evidence: Evidence, names: Collection[str]) -> Evidence:
    """Return evidence whose curves have these columns only, as if it were published."""

    def restricted(run: Run) -> Run:
        return PublishedRun(run.key, run.result, run.curve[_known_columns(run, names)])

    panels = [
        replace(panel, runs={series: tuple(map(restricted, runs)) for series, runs in panel.runs.items()})
        for panel in evidence.panels
    ]
    return replace(evidence, panels=tuple(panels))


def _write_evidence(folder: Path, plan: Plan, evidence: Evidence, columns: Collection[str], command: str) -> None:
    """Write a figure into the tables of its paper, and its JSON file, in a folder that no other process reads."""
    spec = plan.spec
    tables = spec.paper or spec.id
    facts = {
        "format": FORMAT,
        "figure": spec.id,
        "tables": tables,
        "scale": plan.options.scale,
        "command": command,
        "absent": evidence.absent_because,
        "resolved": _resolved_facts(spec),
        "panels": [_panel_facts(spec, panel) for panel in plan.panels],
        "computed": evidence.computed,
    }
    runs = {
        run.recorded.key: (evidence_key(run.settings), run.recorded) for run in plan.runs if run.recorded is not None
    }
    rows = [row for panel in plan.panels for row in _series_rows(spec, plan.options.scale, panel)]
    write_json(folder / f"{spec.id}.json", facts)
    write_sums(folder, f"{spec.id}.json")
    write_tables(folder, tables, spec.id, rows, runs, columns)


def _resolved_facts(spec: FigureSpec) -> dict[str, Any] | None:
    """Return what follows from a figure's options, with their values; None for a figure without them."""
    if not (spec.options and spec.series_module):
        return None
    values = {name: option.value for name, option in spec.options.items()}
    series = [asdict(series) for series in spec.series]
    return {"options": values, "title": spec.title, "timed": spec.timed, "series": series}


def _series_rows(spec: FigureSpec, scale: str, panel: PlannedPanel) -> list[dict[str, Any]]:
    """Return a panel's rows of `SERIES`."""
    pair = panel.paper_dataset, panel.dataset
    series = {curve.name: curve for curve in spec.curves}
    return [
        {
            "figure": spec.id,
            "panel": panel.paper_dataset,
            "dataset": panel.dataset,
            "series": run.series,
            "seed": run.settings.seed,
            "key": run.recorded.key,
            "settings": spec.settings_of(series[run.series], scale, *pair, run.settings.seed),
        }
        for run in panel.runs
        if run.recorded is not None
    ]


def _panel_facts(spec: FigureSpec, panel: PlannedPanel) -> dict[str, Any]:
    planned = {*panel.settings, *panel.left_out}
    series = spec.series_on(panel.paper_dataset, panel.dataset)
    return {
        "paper_dataset": panel.paper_dataset,
        "dataset": panel.dataset,
        "stand_in": panel.stand_in,
        "left_out": panel.left_out,
        "without_runs": [curve.name for curve in series if curve.name not in planned],
    }


def judge_again(spec: FigureSpec, options: Options, folder: Path) -> tuple[Verdict, bool]:
    """Judge a published figure with this version, and write the verdict if it is another than the published one.

    Return it, and whether it was written. Commit, machine and time of the publication stay, ``judged_at`` is the commit
    of the new verdict. Errors are those of `from_evidence`.
    """
    published = read_facts(folder, spec.id)["verdict"]
    _, verdict = judge(from_evidence(spec, options, folder), published["command"])
    if agree(verdict, published):
        return verdict, False
    at = commit_text(verdict.commit, verdict.dirty) or ""
    with changing(folder) as draft:
        if read_facts(draft, spec.id)["verdict"] != published:
            raise EvidenceError(f"{spec.id} has been published meanwhile: the same command judges it again")
        write_verdict(draft, spec.id, as_json(replace(with_origin(verdict, published), judged_at=at)))
    return verdict, True


def write_tables(
    folder: Path,
    tables: str,
    figure: str,
    rows: Sequence[Mapping[str, Any]],
    runs: Mapping[str, tuple[str, Run]],
    columns: Collection[str] = COLUMNS,
) -> None:
    """Replace a figure in the tables of its paper, in the folder `tables` of the evidence.

    Its rows are those of `SERIES`; the runs, by key, come with their `evidence_key`. Their points get these `columns`,
    and those that other figures read of them. Runs that no figure of the paper draws any more are removed.
    """
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

    fields = ("figure", "panel", "dataset", "series", "seed", "key", "settings")
    schema = pyarrow.schema([(name, pyarrow.int64() if name == "seed" else pyarrow.string()) for name in fields])
    names, kept = {key: {*columns} for key in runs}, {}
    if (folder / tables).exists():
        old = {name: read_table(folder, tables, name) for name in TABLES}
        kept = {SERIES: old[SERIES].filter(pyarrow.compute.not_equal(old[SERIES]["figure"], figure))}
        drawn = {*kept[SERIES]["key"].to_pylist()}
        shared = drawn & runs.keys()
        for row in old[RUNS].select(["key", "columns"]).to_pylist():
            if row["key"] in shared:
                names[row["key"]] |= {*row["columns"]}
        other_keys = pyarrow.array(sorted(drawn - runs.keys()), pyarrow.string())
        kept |= {name: old[name].filter(pyarrow.compute.is_in(old[name]["key"], other_keys)) for name in (RUNS, POINTS)}
    new = {
        SERIES: pyarrow.Table.from_pylist(rows, schema),
        RUNS: _runs_table(runs, names),
        POINTS: _points_table({key: run.curve[_known_columns(run, names[key])] for key, (_, run) in runs.items()}),
    }
    if kept:
        kept[POINTS] = kept[POINTS].cast(new[POINTS].schema)  # without its dictionary of keys
        new = {
            name: pyarrow.concat_tables([kept[name], table], promote_options="default") for name, table in new.items()
        }
    (folder / tables).mkdir(parents=True, exist_ok=True)
    files = []
    for name, table in new.items():
        buffer = pyarrow.BufferOutputStream()
        ordered = table.sort_by("figure" if name == SERIES else "key")  # a stable sort
        numbers = [
            field.name
            for field in ordered.schema
            if pyarrow.types.is_primitive(field.type) and not field.name.endswith("_error")
        ]
        pyarrow.parquet.write_table(
            ordered,
            buffer,
            compression="zstd",
            compression_level=9,
            row_group_size=1 << 20,
            # errors are multiples of 1 / rows, so they have few values; other numbers take less as bytes by position
            use_dictionary=[field.name for field in ordered.schema if field.name not in numbers],
            use_byte_stream_split=numbers,
        )
        files.append(f"{tables}/{name}.parquet")
        write_file(folder / files[-1], buffer.getvalue().to_pybytes())
    write_sums(folder, *files)


def _known_columns(run: Run, names: Collection[str]) -> list[str]:
    """Return the named columns that a curve has, in the order of `COLUMNS`."""
    return [name for name in COLUMNS if name in names and name in run.curve.columns]


def _runs_table(runs: Mapping[str, tuple[str, Run]], columns: Mapping[str, Collection[str]]) -> pyarrow.Table:
    """Return rows of `RUNS`; entries of result.json other than `SCALARS` are JSON text.

    `columns` are those of the points, by key.
    """
    import pyarrow

    rows = [
        {"key": run.key, "settings_key": key, "columns": _known_columns(run, columns[run.key])}
        | {
            name: value if name in SCALARS else json.dumps(value, sort_keys=True)
            for name, value in _published_entries(run.result).items()
        }
        for key, run in runs.values()
    ]
    types = {"seed": pyarrow.int64(), "cpu_seconds": pyarrow.float64(), "wall_seconds": pyarrow.float64()}
    types["columns"] = pyarrow.list_(pyarrow.string())
    names = dict.fromkeys(["key", "settings_key", *SCALARS, "columns", *sorted({name for row in rows for name in row})])
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])
    return pyarrow.Table.from_pylist(rows, schema)


def _published_entries(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is published of result.json: not the command, which may name folders of the machine."""
    provenance = {name: value for name, value in result["provenance"].items() if name != "command"}
    return {name: value for name, value in result.items() if name not in _LOCAL} | {"provenance": provenance}


def _points_table(curves: Mapping[str, pd.DataFrame]) -> pyarrow.Table:
    """Return rows of `POINTS` with the curves of runs, by key."""
    import pyarrow

    types = dict.fromkeys(COUNTS, pyarrow.int64()) | dict.fromkeys(SINGLE, pyarrow.float32())
    schema = pyarrow.schema({"key": pyarrow.string()} | {name: types.get(name, pyarrow.float64()) for name in COLUMNS})
    frames = [curve.reindex(columns=list(COLUMNS)).assign(key=key) for key, curve in curves.items()]
    tables = [pyarrow.Table.from_pandas(frame, schema, preserve_index=False) for frame in frames]
    return pyarrow.concat_tables([schema.empty_table(), *tables]).replace_schema_metadata()


def check_size(folder: Path) -> int:
    """Return the bytes of all evidence; raises EvidenceError if they are more than `MOST_BYTES`."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        raise EvidenceError(f"the evidence would have {size / 1e6:.2f} MB; at most {MOST_BYTES / 1e6:g} MB")
    return size


def write_verdict(folder: Path, figure: str, verdict: Mapping[str, Any]) -> None:
    """Add the verdict to the JSON file of a figure."""
    write_json(folder / f"{figure}.json", read_facts(folder, figure) | {"verdict": verdict})
    write_sums(folder, f"{figure}.json")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file of evidence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
