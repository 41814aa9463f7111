"""Where the real data files must be at hand (SVM_REQUIRE_REAL_DATA=1), a test that needs them may not be skipped."""

import os
import sys
from collections.abc import Generator

import pytest

# The tests start about a hundred processes, each of which would compile our modules. As in the Makefile.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


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
