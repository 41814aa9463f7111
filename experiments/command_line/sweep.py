"""One sweep of ``run.py -m``: checks before its first job, stop signals, and what its jobs leave at the end."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import time
from pathlib import Path
from typing import Any, ClassVar

import psutil
from hydra.experimental.callback import Callback
from omegaconf import OmegaConf

from experiments.configuration.choices import folder
from experiments.configuration.settings import server_address
from experiments.launchers.checks import LOCAL, RAY, check_launcher
from experiments.launchers.cluster import Cluster
from experiments.processes.job_ledger import FolderLedger
from experiments.processes.outcome import Outcome
from experiments.processes.stopping import GRACE_SECONDS, STOP_SIGNALS
from experiments.run.errors import print_error
from experiments.run.leftovers import remove_old_leftovers
from experiments.store import Store, StoreError
from experiments.store.recorder import Recorder
from solvers import SettingsError

SWEEP_ID = "SVM_SWEEP_ID"
"""Environment variable with the process number of a sweep: names its folder."""
SIGNAL_SECONDS = 0.1
"""A terminal sends Ctrl-C to the jobs too. Their parent sends it after this time, and they ignore the second one."""


class Refused(BaseException):
    """The sweep cannot begin. Not an Exception, after which Hydra would go on."""


class Sweep:
    """The sweep of this process.

    Parameters
    ----------
    directory : Path
        Where its jobs leave their outcomes, and where its table and figures go.
    root, server : str, str or None
        The store's folder and server.
    cluster : Cluster or None
        The Ray cluster that its jobs run on.
    """

    def __init__(self, directory: Path, root: str, server: str | None, cluster: Cluster | None = None) -> None:
        self.directory, self.ledger = directory, FolderLedger(directory)
        self._root, self._server, self._cluster = root, server, cluster
        self._recorder = Recorder(Store.at(root, server), print_error)
        self._signal = signal.SIGINT

    @classmethod
    def prepare(cls, config: Any) -> Sweep:
        """Check what the jobs need, connect to a cluster, and install handlers of stop signals.

        Parameters
        ----------
        config : DictConfig
            As composed for the sweep as a whole, with Hydra's own part; its ``hydra.sweep.dir`` is made absolute.

        Raises
        ------
        Refused
            The launcher, the cluster, the store or its server cannot be used.
        """
        launcher = config.hydra.runtime.choices["hydra/launcher"]
        cluster: Cluster | None = None
        try:
            check_launcher(launcher, f"hydra/launcher={launcher}")
            folder("store.root", config.store.root)
            if (server := server_address(config.store.uri)) is not None:
                Store.open(config.store.root, server=server)
            if launcher == RAY:
                init: Any = OmegaConf.to_container(config.hydra.launcher.ray.init, resolve=True)
                cluster = Cluster(init.pop("address"), init.pop("num_cpus"), **init)
        except (SettingsError, StoreError) as error:
            raise Refused(str(error)) from error
        sweep = cls(Path(config.hydra.sweep.dir).resolve(), config.store.root, server, cluster)
        sweep._recorder.begin()
        config.hydra.sweep.dir = str(sweep.directory)
        quoted = str(sweep.directory).replace("'", r"\'")
        config.hydra.overrides.hydra.append(f"hydra.sweep.dir='{quoted}'")  # so each job has it, on any machine
        if launcher != LOCAL:  # the pool of local workers has handlers of its own
            for number in STOP_SIGNALS:
                signal.signal(number, lambda number, _: sweep.stop(signal.Signals(number)))
        return sweep

    def stop(self, number: signal.Signals) -> None:
        """Stop on Ctrl-C or SIGTERM: the jobs on this machine get `GRACE_SECONDS` to record their state.

        The jobs of a cluster are stopped in `stopped`.

        Raises
        ------
        KeyboardInterrupt
            Always, when the jobs have ended or the time is over; a second Ctrl-C raises it at once.
        """
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._signal = number
        if self._cluster is not None:
            raise STOP_SIGNALS[number]
        time.sleep(SIGNAL_SECONDS)
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.send_signal(number)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(outcome.status == "killed" for outcome in self.ledger.outcomes()):
            time.sleep(0.05)
        raise STOP_SIGNALS[number]

    def stopped(self, interrupt: KeyboardInterrupt) -> KeyboardInterrupt:
        """Have the jobs on a cluster record their state, and return which signal has stopped the sweep.

        Parameters
        ----------
        interrupt : KeyboardInterrupt
            As it arrived; Ray passes on that a signal came, but not which.
        """
        if self._cluster is None:
            return interrupt
        with contextlib.suppress(KeyboardInterrupt):  # a second Ctrl-C: do not wait
            self._cluster.stop(self._signal)
        return STOP_SIGNALS[self._signal]()

    def collect(self) -> None:
        """Write a cluster's outcomes to the sweep's folder, remove what killed processes have left, wait for mlflow."""
        if self._cluster is not None:
            for number, outcome in self._cluster.outcomes().items():
                self.ledger.end(number, self._fetched(outcome))
            self._cluster.close()
        remove_old_leftovers(Store.at(self._root, self._server))
        self._recorder.close()

    def _fetched(self, outcome: Outcome) -> Outcome:
        """Fetch the record of a job that ran on another machine, so that its curve can be drawn."""
        if outcome.result_path is None or Path(outcome.result_path).exists():
            return outcome
        found = None
        with contextlib.suppress(StoreError):
            found = self._open_store().find_finished(str(outcome.key))
        return dataclasses.replace(outcome, result_path=str(found.result_path) if found else None)

    def _open_store(self) -> Store:
        return Store.open(self._root, server=self._server)


class SweepCallback(Callback):
    """Makes the `Sweep` when Hydra has composed its configuration."""

    sweep: ClassVar[Sweep | None] = None
    """Hydra makes the callback itself, so this is where ``run.py`` finds the sweep."""

    def on_multirun_start(self, config: Any, **_: Any) -> None:
        """Make the sweep; raises `Refused`."""
        SweepCallback.sweep = Sweep.prepare(config)
