"""``svm-store``: lists, compares, exports and deletes runs, and records them in mlflow."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...support.files import QUIET_SECONDS
from ...support.text import number_of
from ..configuration.schema import StoreConfig
from ..processes.stopping import EXIT_STATUS, status_of
from ..processes.streams import ElapsedTime, print_error
from . import recorder
from .browse import CUT, choose, comparison, default_root, export, facts, lines, opened
from .recorded_list import RecordedList
from .run_folder import StoreError
from .serialize import ERRORS
from .store import ADDRESS, SERVERS, Store
from .tracking import Recorded, Tracking

OK, NOT_ALL, USER_ERROR = 0, 1, 2

ROOT = f"default: {StoreConfig.root}, here or in the checkout"
FILTERS = (
    "NAME=VALUE chooses runs by their settings: algo=sbp dataset=adult seed=0,1 problem.nu=0.01; KEY is the beginning "
    f"of a key, as is key=; sweep= the name of a sweep's folder, store= the folder of the records ({ROOT})."
)
BROWSE = {
    "list": "list runs",
    "show": "show everything that is recorded of one run",
    "compare": "show what differs between runs, and their costs and measures",
    "export": "write the curves of runs as one table",
    "delete": "delete runs and their files",
}
RECORD = (
    "Record in mlflow the runs of a folder that it lacks, and those of the servers' folders below it. With an address, "
    "record the runs of the folder at that server. Exit status: 0 mlflow has all runs; 1 a run is damaged; 2 a server "
    "does not answer, or there are no runs; 130 stopped by Ctrl-C, 75 by SIGTERM."
)
UI = "Print the address of the page with the runs, and run mlflow's UI until Ctrl-C."

VIEW = {
    "compareRunSections": [
        {"uuid": "errors", "name": "Error against cost", "display": True, "isReordered": True, "columns": 1}
    ],
    "compareRunCharts": [
        {
            "type": "LINE",
            "uuid": name,
            "metricSectionId": "errors",
            "metricKey": name,
            "xAxisKey": "step",  # the cost
            "xAxisScaleType": "log",
            "lineSmoothness": 0,
            "useGlobalXaxisKey": False,
        }
        for name in ERRORS
    ],
    "isAccordionReordered": True,  # else sections are in alphabetical order
    "runsHiddenMode": "FIRST_20_RUNS",
}
"""Errors against the cost, on a logarithmic axis, above mlflow's own charts; a version of mlflow that does not know an
entry leaves it out."""

WATCH = """
import os, signal, subprocess, sys, threading

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
signal.signal(signal.SIGTERM, signal.SIG_IGN)

def end():
    sys.stdin.read()
    os.killpg(0, signal.SIGTERM)
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(0, signal.SIGKILL)

threading.Thread(target=end, daemon=True).start()
sys.exit(max(server.wait(), 0))
"""
"""Runs a server; ends it and its workers when the standard input ends, with the process that holds its other end."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    parser = argparse.ArgumentParser(prog="svm-store", description="The records of runs.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    record_ = commands.add_parser("record", help="record in mlflow the runs that it lacks", description=RECORD)
    record_.add_argument("folder", nargs="?", help=ROOT)
    record_.add_argument("address", nargs="?", help="http://HOST:PORT of a server; default: where the runs belong")
    ui_ = commands.add_parser("ui", help="mlflow's web pages on the runs of a folder", description=UI)
    ui_.add_argument("folder", nargs="?", help=ROOT)
    ui_.add_argument("--port", type=int, default=5000, help="default: %(default)s")
    for name, says in BROWSE.items():
        command_ = commands.add_parser(name, help=says, description=f"{says[:1].upper()}{says[1:]}. {FILTERS}")
        if name == "export":
            command_.add_argument("file", help="FILE.csv or FILE.parquet")
        if name == "list":
            command_.add_argument("--wide", action="store_true", help="a column for each setting that differs, in full")
        if name == "delete":
            command_.add_argument("--yes", action="store_true", help="delete them; without it they are only listed")
        command_.add_argument("filters", nargs="*", metavar="NAME=VALUE or KEY")
    given, more = parser.parse_known_args(arguments)
    if given.command in BROWSE:  # argparse takes no filters behind an option
        given.filters += [word for word in more if not word.startswith("-")]
        more = [word for word in more if word not in given.filters]
    if more:
        parser.error(f"unknown arguments: {' '.join(more)}")
    try:
        if given.command in BROWSE:
            return browse(given)
        folder = Path(given.folder.removeprefix("store.root=")) if given.folder else default_root()
        return ui(folder, given.port) if given.command == "ui" else record(folder, given.address)
    except StoreError as error:
        print_error(f"error: {error}")
        return USER_ERROR
    except KeyboardInterrupt as stopped:
        print_error(status_of(stopped) + ("; the same command records the rest" if given.command == "record" else ""))
        return EXIT_STATUS[type(stopped)]


def browse(given: argparse.Namespace) -> int:
    """Do one of `BROWSE` with the chosen runs; a StoreError names what is wrong."""
    gc.disable()  # of thousands of runs nothing is garbage, and the collector takes longer than their files
    name = given.command
    folders = [word.partition("=")[2] for word in given.filters if word.startswith("store=")]
    filters = [word for word in given.filters if not word.startswith("store=")]
    store = opened(folders[-1] if folders else None, read_only=name != "delete")
    runs = choose(store, filters)
    if name == "show":
        if len(runs) > 1:
            raise StoreError("\n".join([f"show is for one run, and {len(runs)} have these settings:", *lines(runs)]))
        print("\n".join(facts(runs[0])))
    elif name == "compare":
        print("\n".join(comparison(runs)))
    elif name == "export":
        points, count = export(store, runs, Path(given.file))
        print(f"{given.file}: {number_of(points, 'point')} of {number_of(count, 'run')}")
        return OK if count == len(runs) else NOT_ALL
    else:
        if name == "delete" and not filters:
            raise StoreError("delete needs a filter, such as algo=sbp")
        table = lines(runs, wide=name == "list" and given.wide)
        cut = "; --wide or export has what ... cuts" if any(line.endswith(CUT) for line in table) else ""
        print("\n".join([*table, f"{len(runs)} run{'s' * (len(runs) != 1)} in {store.root}{cut}"]))
        if name == "delete" and given.yes:
            recorder.delete(store, runs)
            print("deleted")
        elif name == "delete":
            print("nothing is deleted: add --yes to delete these runs and their files")
    return OK


def ui(folder: Path, port: int) -> int:
    """Record what mlflow lacks, print the address of the runs' page, run mlflow's UI, and return its exit status.

    Raises StoreError: there is no store.
    """
    store = Store.open(folder, read_only=True)
    if not store.exists():
        raise StoreError(f"there are no runs in {folder}")
    tracking = Tracking.of_store(store.root)
    with _progress(store, tracking):
        RecordedList(store, None).prepare(print_error)
        recorder.record_all(store, tracking, print_error, again=True)
    experiment = f"http://127.0.0.1:{port}/#/experiments/{tracking.experiment_id}"
    tracking.share_view("curves", VIEW)
    page = f"{experiment}/runs?workflowType=machine_learning&compareRunsMode=CHART&viewStateShareKey=curves"
    says = "Step: the first cost, such as kernel evaluations; errors: fractions"
    print(f"charts of the runs, as soon as mlflow has started ({says}): {page}", flush=True)
    settings = {
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_BACKEND_STORE_URI": tracking.uri,
        "MLFLOW_REGISTRY_STORE_URI": tracking.uri,  # without it mlflow says that it takes the other
        "PYTHONWARNINGS": "ignore",  # those of its libraries
    }
    command = [sys.executable, "-P", "-m", "mlflow", "ui", "--workers", "1", "--port", str(port)]
    command += ["--uvicorn-opts", "--log-level warning"]  # no line for each request
    return serve(command, os.environ | settings)


@contextlib.contextmanager
def _progress(store: Store, tracking: Tracking) -> Iterator[None]:
    """Say that runs are being recorded, if that takes long, and how many are left."""
    runs = RecordedList(store, tracking.server)
    count = len(runs.missing())
    elapsed = ElapsedTime(lambda text: print_error(f"... {count - len(runs.missing())} of {count} runs: {text}"))
    elapsed.begin(f"recording at {tracking.uri}", after=QUIET_SECONDS)
    try:
        yield
    finally:
        elapsed.end()


def serve(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a server and return its exit status; it ends with this process, even if that is killed.

    It works in the root folder: uvicorn imports modules from where it works.
    """
    with subprocess.Popen(
        [sys.executable, "-P", "-c", WATCH, *command],
        stdin=subprocess.PIPE,
        env={**environment, **recorder.SAFE_PATH},
        cwd="/",
        start_new_session=True,
    ) as process:
        return process.wait()


def record(folder: Path, address: str | None) -> int:
    """Record missing runs, print the counts for each address, and return the exit status.

    Raises StoreError: there are no runs, or the address has another form.
    """
    stores = [Store.open(folder, read_only=True)]
    if address is None:
        stores += [Store.open(path.parent, read_only=True) for path in sorted(folder.glob(f"{SERVERS}/*/{ADDRESS}"))]
    stores = [store for store in stores if store.exists()]
    if not stores:
        raise StoreError(f"there are no runs in {folder}")
    status = OK
    for store in stores:
        try:
            tracking = recorder.tracking_of(store) if address is None else Tracking.reached(address)
            for line in RecordedList(store, tracking.server).taken():
                print_error(f"runs of an earlier command: {line}")
            with _progress(store, tracking):
                counts = recorder.record_all(store, tracking, print_error, again=True)
        except StoreError as error:  # other servers may answer
            print_error(f"error: {store.root}: {error}")
            status = USER_ERROR
            continue
        texts = [f"{number} {recorded.value}" for recorded in Recorded if (number := counts[recorded])]
        print(f"{store.root} -> {tracking.uri}: {', '.join(texts) or 'nothing is missing'}", flush=True)
        status = max(status, NOT_ALL if counts[Recorded.DAMAGED] else OK)
    return status
