"""Ray: the cluster that jobs run on, which may be this machine alone. The only module that imports it, lazily."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from collections.abc import Collection, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from ...solvers import SettingsError
from ..configuration.settings import available_cores
from ..processes.outcome import Outcome
from ..processes.pool import ATTEMPTS, Job
from ..processes.stopping import STOP_SIGNALS, Terminated, blocked, terminable

STORE_BYTES = 80 * 2**20
"""Bytes of object store of a Ray that is started here: tasks share almost nothing. An existing cluster has its own."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}
_ONLY_HERE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Ray's variable: with 0, as on macOS, its processes listen on 127.0.0.1 only; else on all addresses."""


class RayPool:
    """The workers of a Ray cluster (`experiments.processes.pool.Pool`); Ray itself retries a job that was killed.

    The address is ``HOST:PORT``, or ``auto`` for the cluster that this machine is part of; None: one of this machine is
    started, and ends with this process. `cores` are the jobs at a time, by default one for each core. The options are
    those of ``ray.init``. SettingsError: Ray cannot be used, though `experiments.launchers.checks` has found nothing.
    """

    attempts = ATTEMPTS

    def __init__(self, address: str | None = None, cores: int | None = None, **options: Any) -> None:
        mode = {_ONLY_HERE: "0"} if address is None else {"RAY_AUTH_MODE": "token"}  # else a second node is refused
        for name, value in {**_QUIET, **mode}.items():
            os.environ.setdefault(name, value)  # Ray reads them when it is imported
        import ray
        from ray.util.queue import Queue
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = {"num_cpus": cores or available_cores(), "object_store_memory": STORE_BYTES, "include_dashboard": False}
        variables = {name: value for name, value in os.environ.items() if name.startswith("SVM_")}
        connection: dict[str, Any] = {"runtime_env": {"env_vars": variables}} if address else here
        connection |= {name: value for name, value in options.items() if value is not None}
        try:
            with contextlib.chdir(sys.prefix), blocked(signal.SIGHUP):  # workers search the folder of this call
                ray.init(address=address or "local", logging_level="ERROR", **connection)
        except (Exception, SystemExit) as error:  # Ray leaves where the answer is not one of Ray's
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise SettingsError(f"Ray {address or 'on this machine'} cannot be used: {said[0]}") from error
        self.size = max(1, min(cores or sys.maxsize, int(ray.cluster_resources().get("CPU", 1))))
        node = ray.get_runtime_context().get_node_id()  # another one may fail
        self._reports: Any = Queue(
            actor_options={"num_cpus": 0, "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}
        )
        self._tasks: dict[int, Any] = {}

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the cluster; one that was started here ends."""
        import ray

        ray.shutdown()

    def submit(self, index: int, job: Job) -> Future[Outcome]:
        """See `Pool.submit`."""
        import ray

        packed = pickle.dumps(job)  # by reference: the worker imports the job's class from this working folder
        call: Any = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_call)
        self._tasks[index] = call.remote(str(Path.cwd()), packed, self._reports, index)
        future: Future[Outcome] = self._tasks[index].future()
        return future

    def reports(self) -> Iterable[tuple[int, float | str]]:
        """See `Pool.reports`."""
        reports: list[tuple[int, float | str]] = self._reports.get_nowait_batch(self._reports.qsize())
        return reports

    def stop(self, indexes: Collection[int], number: signal.Signals) -> None:
        """See `Pool.stop`; a task gets SIGINT in either case."""
        import ray

        del number
        for index in indexes:
            ray.cancel(self._tasks[index])

    def death(self, error: BaseException) -> str | None:
        """See `Pool.death`."""
        import ray

        died = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
        return "its process was killed" if isinstance(error, died) else None


def cores_here() -> int:
    """Return how many jobs run at a time on the machine that this one runs on."""
    import ray

    here = ray.get_runtime_context().get_node_id()
    return max(1, int(next((node["Resources"].get("CPU", 1) for node in ray.nodes() if node["NodeID"] == here), 1)))


def _call(folder: str, packed: bytes, reports: Any, index: int) -> Outcome:
    """Run a job in a process of the cluster."""
    os.chdir(folder)
    STOP_SIGNALS[signal.SIGINT] = Terminated  # Ray stops a task by SIGINT; so it writes a checkpoint as well
    from ... import solvers

    solvers.names()  # loads the users' own, whose classes the job names
    job: Job = pickle.loads(packed)

    def report(progress: float | str) -> None:
        reports.actor.put_nowait.remote((index, progress))

    report(0.0)
    with terminable():
        return job(report)
