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
from experiments.processes.job_ledger import next_attempt
from experiments.processes.outcome import Outcome, status_of
from experiments.processes.stopping import GRACE_SECONDS, STOP_SIGNALS
from solvers import SettingsError

LEDGER = "ledger"
LISTEN_SECONDS = 0.5
"""A job asks this often whether it is to stop."""
STORE_BYTES = 80 * 2**20
"""Ray's memory for what its tasks share, which ours hardly use; of a cluster that exists it is not ours to say."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}


class LedgerActor:
    """The jobs' ledger (`experiments.processes.job_ledger`), their progress and the command's stop request.

    A Ray actor on the machine of the command: no folder has to be shared.
    """

    def __init__(self) -> None:
        self._outcomes: dict[int, Outcome] = {}
        self._reports: list[tuple[int, float | str]] = []
        self._stop_request: Signals | None = None

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `JobLedger.begin`."""
        if self._stop_request is not None:
            return Outcome(
                outcome.label, status_of(STOP_SIGNALS[self._stop_request]()), "not started", overrides=outcome.overrides
            )
        before = self._outcomes.get(number)
        begun = next_attempt(outcome, before)
        if begun is not None:
            self._outcomes[number] = begun
            return None
        return before

    def end(self, number: int, outcome: Outcome) -> None:
        """See `JobLedger.end`."""
        self._outcomes[number] = outcome

    def report(self, number: int, progress: float | str) -> None:
        """Record the fraction of a job that is done, or a note on what it does."""
        self._reports.append((number, progress))

    def reports(self) -> list[tuple[int, float | str]]:
        """Return the reports since the last call."""
        reports, self._reports = self._reports, []
        return reports

    def outcomes(self) -> dict[int, Outcome]:
        """Outcomes of all jobs that began, by number."""
        return self._outcomes

    def stop(self, number: Signals) -> None:
        """Ask all jobs to stop."""
        self._stop_request = number

    def stop_request(self) -> Signals | None:
        """Return the signal that asks the jobs to stop."""
        return self._stop_request


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
        actor: Any = ray.remote(LedgerActor)
        self._ledger = actor.options(name=LEDGER, num_cpus=0, scheduling_strategy=with_us).remote()
        ray.get(self._ledger.stop_request.remote())
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

        It is called again if its process is killed, until `LedgerActor.begin` refuses it.
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

    def reports(self) -> list[tuple[int, float | str]]:
        """Return the jobs' reports since the last call."""
        import ray

        reports: list[tuple[int, float | str]] = ray.get(self._ledger.reports.remote())
        return reports

    def outcomes(self) -> dict[int, Outcome]:
        """Outcomes of all jobs that began, by number."""
        import ray

        outcomes: dict[int, Outcome] = ray.get(self._ledger.outcomes.remote())
        return outcomes

    def stop(self, number: Signals) -> None:
        """Ask all jobs to stop, and wait until they have recorded what they reached, or `GRACE_SECONDS`."""
        self._ledger.stop.remote(number)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(end.status == "killed" for end in self.outcomes().values()):
            time.sleep(0.1)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        import ray

        ray.shutdown()


class ClusterLedger:
    """The ledger of a job that runs on a cluster."""

    def __init__(self) -> None:
        import ray

        self._ledger: Any = ray.get_actor(LEDGER)
        self._done = threading.Event()

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `JobLedger.begin`; from now on the job receives the command's stop request."""
        before: Outcome | None = _answer(self._ledger.begin.remote(number, outcome))
        if before is None:
            threading.Thread(target=self._listen, name="listen", daemon=True).start()
        return before

    def end(self, number: int, outcome: Outcome) -> None:
        """See `JobLedger.end`."""
        self._done.set()
        _answer(self._ledger.end.remote(number, outcome))

    def report(self, number: int, progress: float | str) -> None:
        """Report the fraction of the job that is done, or a note on what it does."""
        self._ledger.report.remote(number, progress)

    def _listen(self) -> None:
        import ray

        with contextlib.suppress(ray.exceptions.RayError):  # the command has gone, and Ray ends this process
            while not self._done.wait(LISTEN_SECONDS):
                if number := _answer(self._ledger.stop_request.remote()):
                    _thread.interrupt_main(number)  # Ray's processes block the signal itself
                    return


def _answer(reference: Any) -> Any:
    """Wait for an answer in a job. `ray.get` would release this job's core to another job."""
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
    """Return the variables for jobs on other machines: ours, which name folders and solvers."""
    return {name: value for name, value in environment.items() if name.startswith("SVM_")}


def _call(folder: str, packed: bytes) -> Outcome:
    os.chdir(folder)
    import solvers

    solvers.names()  # loads the users' own, whose classes the arguments name
    call, arguments = pickle.loads(packed)
    outcome: Outcome = call(*arguments)
    return outcome
