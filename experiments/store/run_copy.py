"""What mlflow gets of a run, read from the run's folder, which may hold anything."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...support.errors import reason
from .. import provenance
from .run_folder import CURVE_FILE, RESULT_FILE, SUMS_FILE, DamagedRunError, read_contents, read_curve
from .serialize import MetricPoint, data_settings, metric_points, params_of, run_name, tags_of

if TYPE_CHECKING:
    import pandas as pd

RECORDING, FINISHED = "recording", "finished"
"""Values of the tag ``status``."""
MLFLOW_STATUS: Final = {"finished": "FINISHED", "interrupted": "KILLED", "failed": "FAILED"}
DIGITS: Final = 1e-6
"""Relative to the largest value of a curve: runs on other instruction sets round differently."""


class UnfitRunError(Exception):
    """A run cannot be recorded because of what its folder holds; the message says why."""


@dataclass(frozen=True)
class RunCopy:
    """What mlflow gets of the run in a folder, as `read_copy` returns it; times in milliseconds since 1970."""

    folder: Path
    key: str
    status: str
    curve: pd.DataFrame | None
    labels: Mapping[str, str]
    """Tags that say from which folder the run comes, and with which content."""
    name: str
    tags: Mapping[str, str]
    params: Sequence[tuple[str, str]]
    points: Sequence[MetricPoint]
    data: tuple[str, str, str, str] | None
    """Name, digest, source and profile for mlflow's column of data sets."""
    started: int
    ended: int


def read_copy(folder: Path) -> RunCopy:
    """Read the folder of a run that has ended.

    Raises UnfitRunError: it is damaged, or holds something else, whatever that is.
    """
    try:
        return _copy_of(folder, read_contents(folder))
    except UnfitRunError:
        raise
    except DamagedRunError as error:
        raise UnfitRunError(error.why) from error
    except Exception as error:  # anything may be in a folder, and the others are to be recorded
        raise UnfitRunError(f"its files are not those of a run ({type(error).__name__}: {reason(error)})") from error


def _copy_of(folder: Path, contents: Mapping[str, bytes]) -> RunCopy:
    from ..curve import step_cost

    result = json.loads(contents[RESULT_FILE])
    key, status = result["key"], result["status"]
    curve = read_curve(contents[CURVE_FILE]) if CURVE_FILE in contents else None
    if not re.fullmatch(r"[0-9A-Za-z_-]{1,64}", key) or not folder.name.endswith(key):
        raise UnfitRunError("result.json is of another run")
    if status not in MLFLOW_STATUS or (status == FINISHED and (curve is None or folder.name != key)):
        raise UnfitRunError("result.json does not say how the run has ended")
    facts = result.get("provenance", {})
    begun = datetime.fromisoformat(facts["started"]).timestamp() if facts.get("started") else folder.stat().st_mtime
    seconds = float(result.get("elapsed_seconds") or 0.0)
    if not 0.0 <= begun + seconds < 1e12:
        raise UnfitRunError("result.json has impossible times")
    started = int(1000 * begun)
    labels = {"folder": f"{socket.gethostname()}:{folder}", "sums": hashlib.sha256(contents[SUMS_FILE]).hexdigest()}
    names = {name: result.get(name) for name in ("algo", "dataset", "key", "error")}
    names |= {"step": None if curve is None else step_cost(curve), "status": RECORDING, **labels}
    sources = {"mlflow.source.type": "LOCAL", "mlflow.source.name": "run.py"}
    copy = RunCopy(
        folder=folder,
        key=key,
        status=status,
        curve=curve,
        labels=labels,
        name=run_name(result) if "algo" in result else key,
        tags=tags_of(provenance.as_tags(facts) | names) | sources,
        params=list(params_of(result).items()) if "settings" in result else [],
        points=[] if curve is None else metric_points(curve, started),
        data=_data_of(result) if "settings" in result else None,
        started=started,
        ended=started + int(1000 * seconds),
    )
    text = "\n".join(map(str, (copy.name, *copy.tags.values(), *dict(copy.params).values(), *(copy.data or ()))))
    if "\0" in text.encode().decode():  # half a surrogate pair cannot be encoded, and PostgreSQL takes no zero
        raise UnfitRunError("result.json has a zero byte in a text")
    return copy


def _data_of(result: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return name, digest, source and profile of a run's data set."""
    data = result["provenance"].get("data", {})
    files = [file.get("sha256") for file in data.get("files", ())]
    digest = hashlib.sha256(json.dumps([files, data_settings(result)], sort_keys=True).encode()).hexdigest()[:8]
    return result["dataset"], digest, data.get("source", ""), json.dumps(data.get("counts", {}))


def same_results(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Return whether two curves have equal counts and measures equal to six digits; times may differ."""
    import numpy as np

    from ..columns import COUNTS, MEASURES
    from ..curve import column

    if not first[list(COUNTS)].equals(second[list(COUNTS)]):
        return False
    for name in MEASURES:
        x, y = column(first, name), column(second, name)
        largest = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
        if not np.allclose(x, y, rtol=DIGITS, atol=DIGITS * largest, equal_nan=True):
            return False
    return True
