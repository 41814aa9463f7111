"""The texts of ``--help`` and ``--version``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from ... import solvers
from ...solvers.registry import is_plugin
from ...support.files import open_plain
from ...support.text import command_line, printable
from .. import provenance
from ..configuration.choices import CONF, add_config_folders, option_files, user_folders

_COLUMN = 20
"""Most characters before the second column; the few longer names move their own line only."""
_MOST_BYTES = 2000
"""Of a file that are read for its description; a line has at most `_LONGEST` of them."""
_LONGEST = 96


def version_text() -> str:
    """Return the text of ``--version``: the program's version, its commit, and the build of its core."""
    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    source = "no commit known" if commit is None else f"commit {provenance.commit_text(commit, dirty)}"
    build = solvers.build_info()
    return f"svm-cost-curves {metadata.version('svm-cost-curves')}, {source}, core build {build['build_id']}"


def help_text(arguments: Sequence[str] = ()) -> str:
    """Return the text of ``--help``: a line for each algorithm, data set and kernel, the user's too, then settings."""
    add_config_folders(arguments)
    run = command_line("run")
    classes = {name: solvers.get(name) for name in solvers.names()}
    algorithms, plugins = (
        {name: solver.summary for name, solver in classes.items() if is_plugin(solver) == plugin}
        for plugin in (False, True)
    )
    kernels = {name: _summary(path) for name, path in option_files("kernel").items()}
    return "\n".join(
        [
            "Error against cost for support vector machines: one run of one algorithm on one data set.",
            "",
            f"usage: {run} [algo=NAME] [dataset=NAME] [SETTING=VALUE ...]",
            f"       {run} -m algo=NAME,NAME dataset=NAME 'seed=range(10)'     a sweep, one job per core",
            "",
            "algo= (default: sbp; its own settings are algo.*)",
            *_items(algorithms),
            *(["  of SVM_SOLVERS:", *_items(plugins)] if plugins else []),
            "",
            "dataset= (default: digits; its own settings are dataset.*)",
            *_options("dataset"),
            "",
            "kernel= (default: gaussian)",
            *_items(kernels),
            "",
            "+experiment= (settings of a file: docs/settings.md)",
            *_options("experiment"),
            "",
            "problem.lambda_= | problem.C= | problem.nu=   at most one; C = 1/(lambda n); default: a preset",
            "problem.bias=true|false                       unregularised bias",
            "problem.rho=1                                 constant feature: a regularised bias (kernel=linear)",
            "protocol=elsewhere_gaussian|elsewhere_linear  width, C and size of docs/elsewhere.md, not a paper's",
            "budget.epochs= | .iterations= | .kernel_evaluations= | .inner_products= | .feature_accesses= | .seconds=",
            "                                              the first one reached stops; default: preset or 10 epochs",
            "budget.evaluations=60                         points of the curve, geometric in the cost",
            "budget.every= | .tail=                        epochs between further points; in the last only",
            "seed=0  threads=auto  memory=auto (or 12GiB)  rows.provider=auto|gram|cache|on_the_fly",
            "progress=auto  picture=auto                   auto: for a single run, not for the jobs of a sweep",
            "store.root=results                            records, and the pictures of sweeps",
            "store=server store.uri=http://HOST:5000       a record that several machines share (docs/server.md)",
            "store.wait=true|false                         whether the command ends only when mlflow has its runs",
            "hydra/launcher=local|ray|submitit_slurm       -m: here, on a Ray cluster, on Slurm (docs/clusters.md)",
            "engine=local|mpi  ranks=auto                  mpi: so many processes share the rows (minibatch_*)",
            "checkpoint_seconds=30                         wall seconds between two checkpoints; null: none",
            "model=model.npz                               the final predictor; svm-predict uses it",
            "style=paper width=6.75 format=pdf,png         a picture for a paper too; formats: pdf, svg, png, pgf",
            "",
            "A paper's values for an algorithm and a data set are taken by themselves (conf/preset/); what the command",
            "line says wins. A run that is in the store already is shown, not computed. Data files are looked for in",
            "the cache folder, in the folders of SVM_DATA_MIRROR, and at their published address.",
            "SIGTERM writes a checkpoint (not with checkpoint_seconds=null) and ends a run with status 75: the same",
            "command resumes from it.",
            "",
            "examples:",
            f"  {run} algo=sbp dataset=adult",
            f"  {run} algo=smo dataset=adult problem.bias=true kernel.sigma2=100 problem.C=100",
            f"  {run} algo=pegasos dataset=file dataset.train=x.svm dataset.test=y.svm budget.seconds=60",
            f"  {run} -m algo=sbp,pegasos,sdca,smo dataset=adult 'seed=range(10)'     (quotes for the shell)",
            f"  {run} algo=minibatch_sdca algo.batch_size=1024 dataset=rcv1_ccat engine=mpi ranks=4",
            f"  {run} -m dataset=adult 'problem.lambda_=logspace(-6,-2,9)'     nine values",
            "",
            "--dry-run shows all settings and who chose them, and whether the store has the runs; it computes nothing.",
            "--hydra-help is Hydra's own help: --cfg, --info, and how the shell completes settings.",
            "--version shows the version of the program, its commit, and the build of its core.",
            "docs/glossary.md explains the terms, docs/settings.md the rest of the settings.",
        ]
    )


def _options(group: str) -> list[str]:
    """Return a line for each option of a group: those of ``conf/``, then those of each of the user's folders."""
    files = sorted(option_files(group).items())
    lines = []
    for folder in (CONF, *user_folders()):
        inside = {name: _summary(path) for name, path in files if path.parent == folder / group}
        lines += [*([f"  of {printable(str(folder))}:"] if inside and folder != CONF else []), *_items(inside)]
    return lines


def _summary(path: Path) -> str:
    """Return one line on a yaml file: its ``description:`` entry, else the first line of its comment at the top."""
    try:
        if not path.is_file():
            return "(not a file)"
        with open_plain(path) as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return f"({error.strerror})"
    for pattern in (r"^description:\s*[\"']?(.+?)[\"']?\s*$", r"\A#\s*(.+)$"):
        if match := re.search(pattern, text, re.MULTILINE):
            line = printable(match.group(1))
            return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
    return ""


def _items(lines: dict[str, str]) -> list[str]:
    width = max((len(name) for name in lines if len(name) <= _COLUMN), default=0)
    return [f"  {printable(name):<{width}}  {line}" for name, line in lines.items()]
