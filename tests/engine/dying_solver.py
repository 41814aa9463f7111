"""`minibatch_sdca` that does to itself, at some iteration on one rank, what the environment variable DIES says."""

import os
import signal
from typing import Any, ClassVar

from svm_cost_curves.solvers.base import Limit, Status
from svm_cost_curves.solvers.minibatch import MiniBatchSdca, MiniBatchSdcaSettings


class Dying(MiniBatchSdca):
    name = "dying"
    summary = "SDCA that ends in the middle"
    Settings: ClassVar[type[Any]] = MiniBatchSdcaSettings

    def advance(self, limit: Limit) -> Status:
        rank, _, way = os.environ.get("DIES", "").partition(" ")
        if way and int(rank) == self.problem.all_reduce.rank and (self.counters.iterations or 0) > 8:
            match way:
                case "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "raises":
                    raise RuntimeError("a fault")
                case "terminated":
                    os.kill(os.getpid(), signal.SIGTERM)
                case "interrupted":
                    os.kill(os.getpid(), signal.SIGINT)
        return super().advance(limit)
