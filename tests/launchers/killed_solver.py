"""`minibatch_sdca` whose process is killed while it trains with a seed that the environment names, so many times."""

import os
import signal
import time
from pathlib import Path
from typing import Any, ClassVar

from svm_cost_curves.solvers.base import Limit, Status
from svm_cost_curves.solvers.minibatch import MiniBatchSdca, MiniBatchSdcaSettings


class Killed(MiniBatchSdca):
    name = "killed"
    summary = "SDCA whose process is killed"
    Settings: ClassVar[type[Any]] = MiniBatchSdcaSettings

    def advance(self, limit: Limit) -> Status:
        if (self.counters.iterations or 0) > 8:
            self._die()
        return super().advance(limit)

    def _die(self) -> None:
        """Die if it is this seed's turn; the deaths are files of a folder, which says how many there were."""
        folder = Path(os.environ["SVM_TEST_DEATHS"])
        if (folder / "wait").exists() and not list(folder.glob("began-*")):
            (folder / f"began-{os.getpid()}").touch()
            time.sleep(600.0)
        seed, times = map(int, os.environ.get("SVM_TEST_KILLED", "-1 0").split())
        if self.seed == seed and len(list(folder.glob("died-*"))) < times:
            (folder / f"died-{os.getpid()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
