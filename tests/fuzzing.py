"""Numbered cases in child processes with limits on memory and time; a child that dies or hangs costs its own case."""

from __future__ import annotations

import faulthandler
import logging
import multiprocessing
import resource
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import psutil
from pebble import ProcessExpired, ProcessPool

CPU_SECONDS = 60.0
"""CPU seconds after which a case counts as hung, and ends by SIGPROF: on a busy machine seconds say nothing."""
SECONDS = 600.0
"""Seconds after which it does, as where it waits for what never comes."""
BATCH = 500
"""Cases of one child."""


def outcomes(case: Callable[[int], Any], numbers: Iterable[int], *, room: int) -> Iterator[tuple[int, Any, str]]:
    """Yield each number, what `case` returns for it, and why it has returned nothing.

    `room`: the bytes that a child may take beyond what it begins with.
    """
    fork = multiprocessing.get_context("fork")
    with ProcessPool(1, max_tasks=BATCH, initializer=_limit, initargs=[room], context=fork) as pool:
        futures = [(number, pool.schedule(_timed, args=[case, number], timeout=SECONDS)) for number in numbers]
        for number, future in futures:
            try:
                yield number, future.result(), ""
            except (TimeoutError, ProcessExpired) as error:
                code = getattr(error, "exitcode", -signal.SIGPROF)
                died = f"signal {-code}" if code < 0 else f"status {code}"
                yield number, None, "hung" if code == -signal.SIGPROF else died


def _limit(room: int) -> None:
    warnings.simplefilter("ignore")
    logging.disable()
    np.seterr(all="ignore")
    faulthandler.enable()
    taken = psutil.Process().memory_info().vms
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _timed(case: Callable[[int], Any], number: int) -> Any:
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        return case(number)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
