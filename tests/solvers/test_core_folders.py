"""The folders of the C++ core are layers, in the order of the table in `cpp/README.md`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
ORDER = re.findall(r"^\| `(\w+)/` \|", (CPP / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_table_lists_all_folders() -> None:
    assert sorted(ORDER) == sorted(path.name for path in (CPP / "core").iterdir())


@pytest.mark.parametrize("folder", ORDER)
def test_a_folder_includes_no_later_one(folder: str) -> None:
    allowed = set(ORDER[: ORDER.index(folder) + 1])
    for path in (CPP / "core" / folder).iterdir():
        for include in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            assert include.partition("/")[0] in allowed, f"{path.name} includes {include}"
            assert (CPP / "core" / include).is_file()
