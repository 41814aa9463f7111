"""Tests do not see the user's settings; where the real data are required, a test that needs them may not be skipped."""

import os
import shutil
import sys
import tempfile
from collections.abc import Generator

import pytest

# Settings of this program, of its libraries, of the terminal and of the network. Before anything reads them.
_KEPT = ("SVM_DATA_MIRROR", "SVM_REQUIRE_REAL_DATA")
_PREFIXES = ("SVM_", "HYDRA_", "MLFLOW_", "MPL", "RAY_", "XDG_")
_TERMINAL = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
for _name in list(os.environ):
    _ours = _name.startswith(_PREFIXES) and _name not in _KEPT
    if _ours or _name in _TERMINAL or _name.lower().endswith("_proxy"):
        del os.environ[_name]

# mlflow takes seconds for each new store: the tests of the recorder start it.
os.environ["SVM_MLFLOW"] = "off"

# The tests start about a hundred processes, each of which would compile our modules. As in the Makefile.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A home folder of the session's own; the processes of xdist inherit it.
_HOME = None if "PYTEST_XDIST_WORKER" in os.environ else tempfile.mkdtemp(prefix="svm-tests-home-")
if _HOME is not None:
    os.environ["HOME"] = _HOME


def pytest_unconfigure() -> None:
    """Remove the home folder."""
    if _HOME is not None:
        shutil.rmtree(_HOME, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a test marked ``real_data`` into a failure."""
    report = yield
    required = os.environ.get("SVM_REQUIRE_REAL_DATA") == "1"
    if required and report.skipped and not hasattr(report, "wasxfail") and item.get_closest_marker("real_data"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: the real data files are required here (SVM_REQUIRE_REAL_DATA=1). {reason}"
    return report
