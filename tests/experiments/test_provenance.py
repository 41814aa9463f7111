from __future__ import annotations

import getpass
import json
import os
import re
import socket
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from svm_cost_curves.experiments import provenance

BUILD = {"build_id": "abc", "compiler": "gcc 12.2", "flags": f"-O3 -I{Path.home()}/include", "isa": "v4"}
DATA = {
    "files": [{"name": "a9a", "sha256": "1" * 64}, {"name": "a9a.t", "sha256": "2" * 64, "path": "/home/ann/x/a9a.t"}],
    "stand_in": False,
}


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, env=environment)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "solvers").mkdir(parents=True)
    (root / "solvers" / "a.py").write_text("1\n")
    (root / ".gitignore").write_text("*.so\n")
    git(tmp_path, "init", "-q", "project")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first", "--no-verify")
    return root


@pytest.mark.parametrize(
    ("file", "dirty"),
    [
        ("solvers/a.py", True),
        ("solvers/new.py", True),
        ("run.py", True),
        ("notes.txt", False),
        ("solvers/_core.so", False),
    ],
)
def test_dirty_means_tracked_changes_or_new_sources(checkout: Path, file: str, dirty: bool) -> None:
    (checkout / file).write_text("changed\n")
    assert provenance.git_state(checkout)[1] is dirty


def test_what_the_project_s_commands_write_is_no_change_of_its_sources(checkout: Path) -> None:
    for folder in provenance.OWN_OUTPUT:
        (checkout / folder).mkdir(parents=True)
        (checkout / folder / "page").write_text("1\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-qm", "second", "--no-verify")
    for folder in provenance.OWN_OUTPUT:
        (checkout / folder / "page").write_text("2\n")
    assert provenance.git_state(checkout)[1] is False
    (checkout / "solvers" / "a.py").write_text("2\n")
    assert provenance.git_state(checkout)[1] is True


def test_a_clean_a_deleted_and_a_staged_file(checkout: Path) -> None:
    commit, dirty = provenance.git_state(checkout)
    assert re.fullmatch("[0-9a-f]{40}", commit or "")
    assert dirty is False
    (checkout / "solvers" / "a.py").unlink()
    assert provenance.git_state(checkout)[1] is True
    git(checkout, "checkout", "-q", ".")
    assert provenance.git_state(checkout)[1] is False
    (checkout / "README").write_text("x")
    git(checkout, "add", "README")
    assert provenance.git_state(checkout)[1] is True


def test_no_checkout_no_commit_no_git(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert provenance.git_state(tmp_path) == (None, None)
    # a copy of the project inside some other repository has not that repository's commit
    assert provenance.git_state(checkout / "solvers") == (None, None)
    git(tmp_path, "init", "-q")
    assert provenance.git_state(tmp_path) == (None, False)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))  # as in a hook
    assert provenance.git_state(checkout)[0] is not None
    monkeypatch.setenv("PATH", "")
    assert provenance.git_state(checkout) == (None, None)


def test_an_unpacked_archive_names_its_commit(tmp_path: Path, checkout: Path) -> None:
    (checkout / "COMMIT").write_text("$Format:%H$\n")
    (checkout / ".gitattributes").write_text("COMMIT export-subst\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-qm", "for archives", "--no-verify")
    commit = provenance.git_state(checkout)[0]
    git(checkout, "archive", "--prefix=unpacked/", "-o", str(tmp_path / "archive.zip"), "HEAD")
    with zipfile.ZipFile(tmp_path / "archive.zip") as archive:
        archive.extractall(tmp_path)
    assert provenance.git_state(tmp_path / "unpacked") == (commit, None)
    (tmp_path / "unpacked" / "COMMIT").write_text(f"{commit}-dirty\n")  # of a wheel or an sdist
    assert provenance.git_state(tmp_path / "unpacked") == (commit, True)
    (tmp_path / "unpacked" / "COMMIT").write_text("$Format:%H$\n")  # a copy of a checkout
    assert provenance.git_state(tmp_path / "unpacked") == (None, None)


def test_collect_says_everything_and_is_json(checkout: Path) -> None:
    record = provenance.collect(BUILD, DATA, [f"{Path.home()}/bin/run.py", "algo=sbp", "seed=1,2"], 2, 3, root=checkout)
    assert json.loads(json.dumps(record)) == record
    assert record["command"] == "run.py algo=sbp seed=1,2"
    assert (record["threads"], record["jobs"]) == (2, 3)
    assert record["cores"] >= 1
    assert record["cpu"]
    assert record["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "mlflow", "pandas"} <= set(record["versions"])
    assert abs((datetime.now(UTC) - datetime.fromisoformat(record["started"])).total_seconds()) < 60
    assert record["build"]["flags"] == "-O3 -I~/include"
    assert record["data"]["files"][1]["path"] == "~/x/a9a.t"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\nstepping\t: 1\n", "AMD EPYC, family 26 model 2"),
        ("model name\t: ARMv7 Processor rev 3 (v7l)\n", "ARMv7 Processor rev 3 (v7l)"),
    ],
)
def test_a_processor_has_its_family_and_model(tmp_path: Path, lines: str, name: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(lines * 2, encoding="utf-8")  # two cores
    assert provenance.cpu_model(cpuinfo) == name
    assert provenance.cpu_model(tmp_path / "missing")


def test_neither_home_nor_host_nor_user_is_told(checkout: Path) -> None:
    user = getpass.getuser()
    words = [
        "run.py",
        f"store.root={Path.home()}/x",
        f"a=/data/{user}/f",
        f"b={checkout}/conf",
        "c=/Users/bob/d",
        "d=two words",
    ]
    record = provenance.collect(BUILD, {"where": [f"/scratch/{user}"]}, words, 1, root=checkout)
    assert record["command"] == "run.py store.root=~/x a=/data/<user>/f b=./conf c=~/d 'd=two words'"
    text = json.dumps(record)
    assert f"/{user}" not in text
    assert str(Path.home()) + "/" not in text
    # as a whole word: a machine may be called "vm"
    assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", text)


def test_a_path_that_only_begins_like_home_is_left_alone(checkout: Path) -> None:
    other = f"x={Path.home()}-backup/y"
    if not other.startswith(("x=/home/", "x=/Users/")):
        assert provenance.collect({}, {}, ["run.py", other], 1, root=checkout)["command"] == f"run.py {other}"


def test_tags_are_flat(checkout: Path, tmp_path: Path) -> None:
    tags = provenance.as_tags(provenance.collect(BUILD, DATA, ["run.py"], 2, root=checkout))
    assert tags["dirty"] is tags["stand_in"] is False
    assert tags["compiler"] == "gcc 12.2"
    assert tags["data_sha256"] == "1" * 64 + " " + "2" * 64
    assert tags["threads"] == 2
    assert tags["versions"].startswith("python 3.")
    unknown = provenance.as_tags(provenance.collect({}, {}, [], 1, root=tmp_path))
    assert not any(unknown[name] for name in ("commit", "dirty", "compiler", "data_sha256", "stand_in", "command"))


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, svm_cost_curves.experiments.provenance\n"
    code += "print(sorted({'numpy', 'pandas', 'mlflow'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=provenance.PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
