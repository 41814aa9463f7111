"""Command line of ``reproduce.py``: chooses what is done; errors become exit statuses.

Nothing that draws published figures imports Hydra, a solver or the store: other commands import them when they begin.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from ...support.errors import UserError, reason
from ...support.text import command_line
from ..configuration.choices import FORMATS, STYLES, check_environment
from ..processes import streams
from ..processes.core import load_core
from ..processes.stopping import EXIT_STATUS, status_of
from ..run.console import note
from .options import FLAGS, NAMES, OK, USER_ERROR, VERBS, Command, Launcher, Timed, figure_named, parse
from .spec import SCALES, FigureSpec, catalogue, choose, known_data_sets, read_figure

HELP = """Figures and tables of the papers, from the runs in the store, with verdicts.

usage: python3 reproduce.py list [figure=ID|PAPER] [scale=demo|quick|paper]
       python3 reproduce.py figure=ID|PAPER|all [scale=demo|quick|paper] [dataset=NAME,...] [jobs=N] [--dry-run]
       python3 reproduce.py figure=ID|PAPER|all [scale=paper] from=evidence
       python3 reproduce.py publish figure=ID|PAPER|all scale=paper
       python3 reproduce.py publish figure=ID|PAPER|all from=evidence
       python3 reproduce.py publish figure=report
       python3 reproduce.py check figure=ID|PAPER|all [scale=paper] [runs=5|each] [seed=0] [again=FOLDER]
       python3 reproduce.py figure=report [from=evidence]

figure=    one figure (sbp_fig2), several (sbp_fig1,sbp_fig4), a whole paper (sbp), all, report, or a file of your own
           (FOLDER/mine.yaml; CONTRIBUTING.md)
scale=     demo: seconds; quick (default): minutes; paper: the paper's data, budget and repetitions
from=evidence   draw and judge the published runs in evidence/: no data set, solver or store is needed
publish    write these runs, from the store; with from=evidence: judge the published runs again and write the verdicts
           that differ; figure=report: write the scorecards of docs/results from evidence/
check      draw runs= of them at random, make them again and compare; runs=each: one of every figure, solver and data
           set, without times and runs of more than a minute; again= keeps the new runs, so that the check continues
dataset=   only these data sets; any other data set is marked as a stand-in
uncommitted=marked   make scale=paper with uncommitted changes, and mark the verdicts; without it they are refused
jobs=      runs at a time (default: one for each core)
timed=     runs whose result is a time: alone (default), one at a time; together, jobs= at a time: their CPU seconds are
           then those of a busy machine, which is slower
launcher=  local (default), or ray: on a cluster, address=HOST:PORT or RAY_ADDRESS, else this machine (docs/clusters.md)
store=     folder of the records (results), or a server that shares them: store=http://HOST:5000 (docs/server.md);
           figures= of the figures (figures); report= of the report (report); evidence= of the evidence (evidence);
           results= of the scorecards (docs/results)
memory= threads=   for each run, as run.py has them
style=paper   also write paper.pdf, paper.png and paper.txt, the caption: no title, text of 8 pt, Type 42 fonts, 300 dpi
           width=6.75 (inches: two columns; one column: 3.25)  format=pdf,png (also svg, pgf)
list       all figures, one a line; of one paper: list figure=sbp
           list scale=paper: data sets, runs in the store, memory that the runs need, last verdict;
           scale=demo,quick,paper: at each of the three
--dry-run  show what would be done
--version  version of the program, its commit, and the build of its core

Only missing runs are computed; an interrupted figure continues. The result is in figures/<id>/<scale>/: figure.pdf,
figure.png, data.csv, table.md, verdict.json and verdict.md.

exit status: 0 done; 1 a run failed, the rest is done; 2 the command or the store is wrong; 3 a data set is not
available, the rest is done; 4 a checked run differs; 130 stopped by Ctrl-C, 75 by SIGTERM
or another signal that ends programs (docs/settings.md)

docs/glossary.md explains the terms, docs/reproduction.md how claims are judged."""


def command() -> int:
    """Run the command line of this process and return its exit status.

    A command that makes runs says at once that it has begun: importing Hydra takes more than a second.
    """
    arguments = sys.argv[1:]
    if figure_named(arguments) and not {"from=evidence", "--help", "-h"} & set(arguments):
        note("reading the settings")
    return main(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    if arguments[:1] == ["-sc"]:
        return _complete(arguments[1:])
    try:
        if {"--help", "-h"} & set(arguments):
            print(_help(), flush=True)
            return OK
        if "--version" in arguments:
            load_core()
            from ..command_line.help import version_text

            print(version_text(), flush=True)
            return OK
        return _run(parse(arguments, _named(arguments)), arguments)
    except UserError as error:
        streams.print_error(f"error: {error}")
        return USER_ERROR
    except OSError as error:
        streams.print_error(f"error: {reason(error)}")
        return USER_ERROR
    except KeyboardInterrupt as stopped:
        status = status_of(stopped)
        lost = "check" in arguments and not any(word.startswith("again=") for word in arguments)
        streams.print_error(
            f"{status}; {'with again=FOLDER a check continues' if lost else 'the same command continues'}"
        )
        return EXIT_STATUS[type(stopped)]


def _run(command: Command, arguments: Sequence[str]) -> int:
    if command.verb == "list" and not command.scale:
        specs = [read_figure(name, with_statistics=False) for name in choose(command.figure or "all")]
        print("\n".join(_catalogue_lines(specs, command.figures)))
        return OK
    if command.draws_evidence:
        from .drawing import draw_figures

        return draw_figures(choose(command.figure), command, arguments)
    check_environment()
    load_core()
    from .figure_commands import make_figures

    return make_figures(command, arguments)


def _catalogue_lines(specs: Sequence[FigureSpec], figures: Path) -> Iterator[str]:
    """Return a line for each figure: id, paper, label, title, and the scales at which it was made in a folder."""
    rows = [(spec.id, spec.paper or "-", spec.label) for spec in specs]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    for spec, row in zip(specs, rows, strict=True):
        made = [scale for scale in SCALES if (figures / spec.id / scale / "verdict.json").exists()]
        head = "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        yield f"{head}  {spec.title}" + (f" (made: {', '.join(made)})" if made else "")


def _complete(arguments: Sequence[str]) -> int:
    """Answer a shell that completes a command line; it asks as it asks Hydra.

    ``eval "$(python3 run.py -sc install=bash)"`` installs Hydra's completion for commands that begin with ``python3``.
    The shell then calls the script that follows with ``-sc query=bash`` and the line in ``COMP_LINE``.
    """
    if not any(word.startswith("query=") for word in arguments):
        install = command_line("run", "-sc", "install=bash")
        streams.print_error(f'error: eval "$({install})" installs completion, also for reproduce.py')
        return USER_ERROR
    line, point = os.environ.get("COMP_LINE", ""), os.environ.get("COMP_POINT", "")
    print("\n".join(completions(line[: int(point)] if point.isdecimal() else line)))
    return OK


def completions(line: str) -> list[str]:
    """Return the words that may replace the last one of a command line, which is given up to the cursor."""
    word = "" if not line or line[-1].isspace() else line.split()[-1]
    name, equals, value = word.partition("=")
    if not equals:
        possible = (*(f"{name}=" for name in NAMES), *VERBS, *FLAGS)
        return [candidate for candidate in possible if candidate.startswith(word)]
    before, comma, last = value.rpartition(",")
    return [f"{name}={before}{comma}{allowed}" for allowed in _values(name) if allowed.startswith(last)]


def _values(name: str) -> Sequence[str]:
    """Return the values that complete a setting of reproduce.py; empty where they are not a list."""
    if name == "figure":
        figures = catalogue()
        return [*figures, *dict.fromkeys(filter(None, figures.values())), "all", "report"]
    values = {"scale": SCALES, "style": STYLES, "format": FORMATS, "from": ["evidence"]}
    values |= {"timed": get_args(Timed), "launcher": get_args(Launcher)}
    return known_data_sets() if name == "dataset" else values.get(name, ())


def _named(arguments: Sequence[str]) -> list[FigureSpec]:
    """Return the figures that a command line names."""
    name = figure_named(arguments)
    return [read_figure(figure, with_statistics=False) for figure in choose(name)] if name not in ("", "report") else []


def _help() -> str:
    """Return the help text, with the options of single figures."""
    lines = [HELP.replace("python3 reproduce.py", command_line("reproduce"))]
    for spec in (read_figure(name, with_statistics=False) for name in catalogue()):
        if spec.options:
            lines += ["", f"figure={spec.id}: {spec.title}"]
            lines += [
                f"  {f'{name}=':<9} {option.says} (default: {option.value})" for name, option in spec.options.items()
            ]
        if spec.settings:
            lines.append(f"  {', '.join(f'{group}.*' for group in spec.settings)}: as run.py has them, for all runs")
    return "\n".join(lines)
