"""Ray: the cluster that jobs run on, which may be this machine alone. The only module that imports it, lazily."""

from __future__ import annotations

import _thread
import contextlib
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from signal import Signals
from typing import Any

from experiments.configuration.settings import available_cores
from experiments.launchers.checks import RAY, check_address, check_launcher
from experiments.processes.job_queue import attempt
from experiments.processes.outcome import Outcome, status_of
from experiments.processes.stopping import ASKED
from solvers import SettingsError

BOARD = "board"
LISTEN_SECONDS = 0.5
"""A job asks this often whether it is to stop."""
GRACE_SECONDS = 20.0
"""Time for the jobs to record how far they are after Ctrl-C or SIGTERM."""
STORE_BYTES = 80 * 2**20
"""Ray's memory for what its tasks share, which ours hardly use; of a cluster that exists it is not ours to say."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}


class Board:
    """What the jobs say and are told: an actor of Ray's, on the machine of the command.

    A desk (`experiments.processes.job_queue.Desk`) that no folder has to be shared for.
    """

    def __init__(self) -> None:
        self._outcomes: dict[int, Outcome] = {}
        self._said: list[tuple[int, float]] = []
        self._asked: Signals | None = None

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `Desk.begin`."""
        if self._asked is not None:
            return Outcome(outcome.label, status_of(ASKED[self._asked]()), "not started", overrides=outcome.overrides)
        before = self._outcomes.get(number)
        begun = attempt(outcome, before)
        if begun is not None:
            self._outcomes[number] = begun
            return None
        return before

    def end(self, number: int, outcome: Outcome) -> None:
        """See `Desk.end`."""
        self._outcomes[number] = outcome

    def tell(self, number: int, fraction: float) -> None:
        """Say how far a job is."""
        self._said.append((number, fraction))

    def said(self) -> list[tuple[int, float]]:
        """Return what `tell` was told since the last call."""
        said, self._said = self._said, []
        return said

    def outcomes(self) -> dict[int, Outcome]:
        """Outcomes of all jobs that began, by number."""
        return self._outcomes

    def stop(self, asked: Signals) -> None:
        """Ask all jobs to stop."""
        self._asked = asked

    def asked(self) -> Signals | None:
        """Return what the jobs are asked for."""
        return self._asked


class Cluster:
    """A connection to a Ray cluster.

    Parameters
    ----------
    address : str or None
        ``HOST:PORT``, or ``auto`` for the one that this machine is part of; None: one of this machine is started,
        and ends with this process.
    cores : int or None
        Of the one that is started: runs at a time; None: all.
    **options
        More for ``ray.init``.

    Raises
    ------
    SettingsError
        Ray is not installed, or the cluster does not answer.
    """

    def __init__(self, address: str | None = None, cores: int | None = None, **options: Any) -> None:
        check_launcher(RAY, f"launcher={RAY}")
        if address is not None:
            check_address(address)
            os.environ.setdefault("RAY_AUTH_MODE", "token")  # else a second node is refused; read at the import
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        given = {name: value for name, value in options.items() if value is not None}
        own: dict[str, Any] = {"env_vars": _environment()} if address else {}
        here = {"num_cpus": cores or available_cores(), "object_store_memory": STORE_BYTES, "include_dashboard": False}
        try:
            ray.init(
                **{
                    "address": address or "local",
                    "logging_level": "ERROR",
                    **(here if address is None else {"runtime_env": own}),
                    **given,
                }
            )
        except (Exception, SystemExit) as error:  # Ray leaves where the answer is not one of Ray's
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise SettingsError(f"Ray {address or 'on this machine'} cannot be used: {said[0]}") from error
        node = ray.get_runtime_context().get_node_id()
        with_us = NodeAffinitySchedulingStrategy(node, soft=False)
        board: Any = ray.remote(Board)
        self._board = board.options(name=BOARD, num_cpus=0, scheduling_strategy=with_us).remote()
        ray.get(self._board.asked.remote())
        self._reserved = 0

    @property
    def cores(self) -> int:
        """Runs at a time."""
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def reserve(self, count: int) -> int:
        """Return the first of so many numbers of jobs that nobody else has."""
        first, self._reserved = self._reserved, self._reserved + count
        return first

    def submit(self, call: Callable[..., Outcome], *arguments: Any) -> Any:
        """Have something called on the cluster, as if it were here, and return Ray's reference to what it returns.

        It is called again if its process is killed, until `Board.begin` refuses it.
        """
        import ray

        packed = pickle.dumps((call, arguments))  # what it names is imported where the call is made, in our folder
        task: Any = ray.remote(num_cpus=1, max_retries=-1)(_call)
        return task.remote(str(Path.cwd()), packed)

    def wait(self, references: Iterable[Any], seconds: float) -> list[Any]:
        """Return those of which the result is there."""
        import ray

        done, _ = ray.wait([*references], num_returns=1, timeout=seconds)
        return list(done)

    def result(self, reference: Any, label: str) -> Outcome:
        """Return what a call returned; if that is nothing, that the run of this label has failed, and why."""
        import ray

        try:
            outcome: Outcome = ray.get(reference)
        except ray.exceptions.RayError as error:
            said = str(error).strip().splitlines()
            return Outcome(label, "failed", said[-1] if said else type(error).__name__)
        return outcome

    def said(self) -> list[tuple[int, float]]:
        """How far jobs are, since the last call."""
        import ray

        said: list[tuple[int, float]] = ray.get(self._board.said.remote())
        return said

    def outcomes(self) -> dict[int, Outcome]:
        """Outcomes of all jobs that began, by number."""
        import ray

        outcomes: dict[int, Outcome] = ray.get(self._board.outcomes.remote())
        return outcomes

    def stop(self, asked: Signals) -> None:
        """Ask all jobs to stop, and wait until they have recorded what they reached, or `GRACE_SECONDS`."""
        self._board.stop.remote(asked)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(end.status == "killed" for end in self.outcomes().values()):
            time.sleep(0.1)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        import ray

        ray.shutdown()


class OnCluster:
    """The desk of a job that runs on a cluster."""

    def __init__(self) -> None:
        import ray

        self._board: Any = ray.get_actor(BOARD)
        self._done = threading.Event()

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `Desk.begin`; from now on the job hears what the command is asked for."""
        before: Outcome | None = _answer(self._board.begin.remote(number, outcome))
        if before is None:
            threading.Thread(target=self._listen, name="listen", daemon=True).start()
        return before

    def end(self, number: int, outcome: Outcome) -> None:
        """See `Desk.end`."""
        self._done.set()
        _answer(self._board.end.remote(number, outcome))

    def tell(self, number: int, fraction: float) -> None:
        """Say how far the job is."""
        self._board.tell.remote(number, fraction)

    def _listen(self) -> None:
        import ray

        with contextlib.suppress(ray.exceptions.RayError):  # the command has gone, and Ray ends this process
            while not self._done.wait(LISTEN_SECONDS):
                if asked := _answer(self._board.asked.remote()):
                    _thread.interrupt_main(asked)  # Ray's processes block the signal itself
                    return


def _answer(reference: Any) -> Any:
    """Wait for an answer in a job. With ``ray.get`` its core would be free meanwhile, and another job begin on it."""
    return reference.future().result()


def cores_here() -> int:
    """Return how many runs are made at a time on the machine that this one is made on."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    cores = next((node_["Resources"].get("CPU", 1) for node_ in ray.nodes() if node_["NodeID"] == node), 1)
    return max(1, int(cores))


@contextlib.contextmanager
def connected(address: str | None, cores: int | None) -> Iterator[Cluster]:
    """Connect to a cluster, and leave it afterwards."""
    cluster = Cluster(address, cores)
    try:
        yield cluster
    finally:
        cluster.close()


def _environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what jobs on other machines are told: our own variables, which name folders and solvers."""
    return {name: value for name, value in environment.items() if name.startswith("SVM_")}


def _call(folder: str, packed: bytes) -> Outcome:
    os.chdir(folder)
    import solvers

    solvers.names()  # loads the users' own, whose classes the arguments name
    call, arguments = pickle.loads(packed)
    outcome: Outcome = call(*arguments)
    return outcome
