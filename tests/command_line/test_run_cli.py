"""The command line as a user meets it: output, exit status, what is written and what is not."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from waiting import PATIENCE, wait_until

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.schema import BudgetConfig
from svm_cost_curves.experiments.reproduction import cli as reproduction
from svm_cost_curves.experiments.run import advance

ROOT = CONF.parent
Ran = Callable[..., tuple[int, str, str]]
TOY = ["dataset=synthetic", "dataset.n=120", "dataset.n_test=60", "dataset.d=4", "dataset.shape=noisy"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli")


def environment() -> dict[str, str]:
    return os.environ | {"COLUMNS": "120"}


def command(place: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(ROOT / "run.py"), *arguments, f"store.root={place / 'results'}"]
    return subprocess.run(words, env=environment() | env, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_help_lists_everything_without_heavy_imports() -> None:
    code = (
        "import sys; sys.argv = ['run.py', '--help']; import run; status = run.command(); "
        "heavy = {'mlflow', 'sklearn', 'pandas', 'matplotlib'} & set(sys.modules); "
        "sys.exit(f'imported: {heavy}' if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("sbp", "libsvm", "adult", "digits", "polynomial", "budget.kernel_evaluations"):
        expected = rf"^  {name} +\S+ \S+" if "." not in name else r"\.kernel_evaluations="
        assert re.search(expected, done.stdout, re.MULTILINE), name
    assert [field.name for field in dataclasses.fields(BudgetConfig) if f".{field.name}=" not in done.stdout] == []
    assert max(map(len, done.stdout.splitlines())) <= 120


@pytest.mark.parametrize("words", [["--help"], [], ["-m"]])
def test_a_solver_file_that_cannot_be_imported_is_one_sentence_and_status_2(
    words: list[str],
    tmp_path: Path,
    own_solvers: Callable[[Path], None],
    here: Ran,
) -> None:
    (tmp_path / "mine.py").write_text("import no_such_module\n")
    own_solvers(tmp_path / "mine.py")
    status, out, err = here(*words, root=tmp_path / "store")
    assert status == 2
    said = f"error: SVM_SOLVERS: {tmp_path / 'mine.py'}, line 1: ModuleNotFoundError: No module named 'no_such_module'"
    assert (out, err) == ("", f"{said}\n")


def test_the_version_is_that_of_the_program_its_commit_and_its_core(
    here: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = here("--version")
    assert (status, err) == (0, "")
    build = solvers.build_info()["build_id"]
    commit = r"(commit \w{12}( with uncommitted changes)?|no commit known)"
    assert re.fullmatch(rf"svm-cost-curves \d+\.\d+\S*, {commit}, core build {build}\n", out)
    assert reproduction.main(["--version"]) == 0
    assert capsys.readouterr().out == out


SWEEP = ["-m", "algo=sbp,pegasos", *TOY, "seed=range(2)", "budget.epochs=1", "budget.evaluations=8"]


@pytest.fixture(scope="module")
def swept(place: Path) -> str:
    """Output of a sweep in worker processes, none of which can write to the cache folder."""
    (place / "cache").write_text("a file in the folder's place")
    done = command(place, *SWEEP, SVM_DATA_CACHE=str(place / "cache" / "folder"))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def here(place: Path, run_py: Ran) -> Ran:
    """Run a command in this process with a store, the jobs of a sweep one after the other."""

    def call(*arguments: str, root: str | Path = place / "results") -> tuple[int, str, str]:
        one_by_one = ["hydra/launcher=here"] if "-m" in arguments else []
        return run_py(*arguments, *one_by_one, f"store.root={root}")

    return call


def test_a_sweep_ends_with_a_table_and_a_figure(swept: str) -> None:
    lines = swept.splitlines()
    assert sorted(line.partition(":")[0] for line in lines if ": finished" in line) == [
        f"{algo} seed={seed}" for algo in ("pegasos", "sbp") for seed in range(2)
    ]
    assert len([line for line in lines if re.match(r"\s+synthetic\s+(sbp|pegasos)\s+2\s+0 ", line)]) == 2
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    assert Path(said["figure"]).read_bytes().startswith(b"\x89PNG")
    assert Path(said["page"]).name == "curves.html"
    assert f"sweep={Path(said['page']).parent.name} " in said["list these runs"]
    assert "store ui " in said["mlflow's pages on all runs"]
    assert (Path(said["page"]).parent / "multirun.yaml").exists()
    assert max(len(line) for line in lines if not line.startswith(("page", "all", "figure", "list", "mlflow"))) <= 100
    assert [line for line in lines if line != line.rstrip()] == []
    assert not (ROOT / "outputs").exists()
    assert not (ROOT / "multirun").exists()


def test_a_dry_run_shows_presets_and_who_chose_them(tmp_path: Path, here: Ran) -> None:
    words = ["--dry-run", "algo=sbp", "dataset=adult", "budget.epochs=2"]
    status, out, _ = here(*words, root=tmp_path / "store")
    *lines, last = out.splitlines()
    assert status == 0
    shown = yaml.safe_load("\n".join(lines))
    assert last == "to make"
    assert shown["algo"]["name"] == "sbp"
    assert shown["kernel"] == {"name": "gaussian", "sigma2": 10.0}  # Table 2 of the SBP paper
    assert shown["problem"]["nu"] == 0.011
    assert shown["budget"]["epochs"] == 2.0
    assert "  epochs: 2.0  # command line" in lines
    assert "  sigma2: 10.0  # SBP paper, Table 2" in lines
    assert list(tmp_path.iterdir()) == []


def test_cfg_is_hydras(here: Ran) -> None:
    status, out, _ = here("--cfg", "job", "--package", "budget")
    assert status == 0
    assert "# @package" in out


def test_a_run_gets_the_folder_and_the_log_that_hydra_is_asked_for(tmp_path: Path) -> None:
    words = [f"hydra.run.dir={tmp_path / 'own'}", "hydra.output_subdir=.hydra", "hydra/job_logging=default"]
    done = command(tmp_path, *TOY, "budget.epochs=1", *words)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "own" / "run.log").exists()
    assert "budget.epochs=1" in (tmp_path / "own" / ".hydra" / "overrides.yaml").read_text()


def test_jobs_of_worker_processes_know_their_numbers_and_have_no_folder(tmp_path: Path) -> None:
    model = f"model={tmp_path}/${{hydra:job.num}}.npz"
    done = command(tmp_path, "-m", *TOY, "seed=1,2", "budget.epochs=1", model, "hydra.launcher.n_jobs=2")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["0.npz", "1.npz"]
    done = command(tmp_path, "-m", *TOY, "seed=1,2", "hydra.job.chdir=true")
    assert done.returncode == 2
    assert "add hydra/launcher=here" in done.stderr


def test_a_dry_run_shows_which_runs_are_there_and_writes_nothing(swept: str, tmp_path: Path, here: Ran) -> None:
    status, out, _ = here(*SWEEP, "--dry-run")
    assert status == 0
    assert out.splitlines()[-1] == "4 of 4 runs are in the store"
    assert out.count(": in the store, ") == 4
    status, out, _ = here(*SWEEP, "--dry-run", "problem.lambda_=logspace(-4,-3,2)", root=tmp_path / "store")
    lines = out.splitlines()
    assert status == 0
    assert lines[-1] == "0 of 8 runs are in the store"
    assert sum(line.endswith(": to make") for line in lines) == 8
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_is_found_again(swept: str, here: Ran) -> None:
    status, out, _ = here(*SWEEP)
    assert status == 0
    assert out.count("already in the store") == 4
    assert ": started" not in out


def test_a_run_of_a_sweep_is_found_alone_and_drawn_for_a_paper_beside_its_record(swept: str, here: Ran) -> None:
    words = ["algo=sbp", *TOY, "seed=1", "budget.epochs=1", "budget.evaluations=8"]
    status, said, _ = here(*words, "style=paper", "width=3.25", "format=svg")
    assert status == 0
    assert "already in the store" in said
    assert "figure: " not in said, "runs of sweeps have no picture of their own"
    result = Path(said.partition("result: ")[2].splitlines()[0])
    record = json.loads(result.read_text())
    assert (record["status"], record["counters"]["presentations"]) == ("finished", 120)
    assert said.splitlines()[-2:] == [f"for a paper: {result.with_name(f'paper.{name}')}" for name in ("svg", "txt")]


def test_a_sweep_with_wrong_settings_is_refused_before_its_first_run(tmp_path: Path, here: Ran) -> None:
    words = ["-m", "algo=pegasos,sbp", *TOY, "problem.nu=0.1,0.2", "budget.epochs=1"]
    status, out, err = here(*words, root=tmp_path / "store")
    assert (status, out) == (2, "")
    begin = "error: 2 of 4 runs cannot be made, so none was: pegasos nu=0.1 and 1 more: "
    assert re.fullmatch(re.escape(begin) + ".*problem.lambda_ or problem.C.*\n", err)
    assert not (tmp_path / "store" / "runs").exists()


def test_a_job_whose_data_are_missing_does_not_stop_the_others(tmp_path: Path, here: Ran) -> None:
    status, out, err = here(
        "-m", f"dataset=synthetic,file:{tmp_path}/none.csv", "budget.epochs=0.1", root=tmp_path / "store"
    )
    assert status == 2
    assert "none.csv: there is no such file" in err
    assert "Traceback" not in err
    assert "same command again" not in err  # it would be refused again
    assert ": finished" in out


def test_a_crash_in_one_job_does_not_stop_the_others(here: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    real = advance._advance

    def crash(solver: Any, *arguments: Any) -> bool:
        if solver.name == "pegasos":
            raise ZeroDivisionError("of ours")
        return real(solver, *arguments)

    monkeypatch.setattr(advance, "_advance", crash)
    status, out, err = here("-m", "algo=pegasos,sbp", *TOY, "seed=7", "budget.epochs=1", "budget.evaluations=8")
    assert status == 1
    assert "ZeroDivisionError: of ours" in err
    assert re.search(r"sbp synthetic seed=7.*: finished", out)


@pytest.mark.parametrize("words", [TOY, ["-m", *TOY]])
def test_a_user_without_home_folder_is_told(here: Ran, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> Any:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown)
    status, _, err = here(*words)
    assert (status, err) == (2, "error: this user has no home folder: set HOME to a folder that can be written\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["problem.C=${oc.env:NO_SUCH_NAME}"], "problem.C=${oc.env:NO_SUCH_NAME} cannot be resolved: Environment"),
        (["seed=1,${problem.x}"], "1 of 2 runs cannot be made, so none was: "),
        (["seed=${seed}"], "seed=${seed} cannot be resolved: it refers to itself"),
        (["seed=1,2", "budget.epochs=${nope}", "model=${hydra:job.num}.npz"], "budget.epochs=${nope} cannot be resol"),
    ],
)
def test_a_reference_that_stands_for_nothing_is_refused_before_a_sweep(here: Ran, words: list[str], said: str) -> None:
    status, out, err = here(
        "-m", *(word for word in TOY if word.partition("=")[0] not in ("seed", "problem.C")), *words
    )
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {said}")


def test_a_full_disk_is_named_before_the_first_run(here: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    status, out, err = here("-m", *TOY, "seed=1,2")
    assert (status, out) == (2, "")
    assert re.fullmatch(r"error: .*/multirun\.yaml: No space left on device\n", err)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("SVM_DOWNLOAD_LIMIT", "much", "SVM_DOWNLOAD_LIMIT=much: must be a positive number of GiB, such as 10."),
        ("SVM_DATA_MIRROR", "~no-such-user/x", "SVM_DATA_MIRROR: ~no-such-user/x: there is no user no-such-user; "),
    ],
)
def test_a_wrong_variable_is_told_once_before_a_sweep(
    here: Ran, variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    status, out, err = here("-m", *TOY, "seed=1,2")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {said}")


def test_ctrl_c_keeps_the_record(tmp_path: Path) -> None:
    words = [*TOY, "seed=99", "budget.seconds=600", "progress=false", "checkpoint_seconds=0.1"]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "run.py"), *words, f"store.root={tmp_path / 'results'}"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: any(tmp_path.glob("results/checkpoints/*.state")), process)  # the solver has begun
    (lock,) = tmp_path.glob("results/locks/*.lock")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    result = json.loads(Path(out.splitlines()[-1].removeprefix("result: ")).read_text())
    assert (result["key"], result["status"]) == (lock.stem, "interrupted")
    assert result["counters"]["iterations"] > 0


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--algo", "sbp"], "unknown option --algo: write a setting without dashes, algo=sbp"),
        (["--dryrun"], "unknown option --dryrun; did you mean --dry-run"),
        (["--config-name", "foo"], "--config-name: this program has one configuration, conf/config.yaml"),
        (["C=1"], "unknown setting 'C'; did you mean problem.C?"),
        (["lr=0.1"], "unknown setting 'lr'; known are algo, dataset, "),
        (["preset.data.kernel=linear"], "unknown setting 'preset'; known are algo, "),
        (
            ["protocol=elsewhere"],
            "unknown protocol 'elsewhere'; did you mean elsewhere_linear or elsewhere_gaussian? known",
        ),
        (["+experiment=sbp_adult_bias,simba_rcv1"], "+experiment=sbp_adult_bias,simba_rcv1: one at a time"),
        (["hydra/sweeper=optuna"], "hydra/sweeper=optuna: its plugin needs Optuna 2"),
        (["problem.nu=-1"], "problem.nu must be a number >= 0"),
        (["--dry-run", "problem.C=-1"], "problem.C must be a number > 0"),
        (["dataset=file"], "dataset.train"),
        (["dataset=file", "dataset.train=/no/such/file"], "/no/such/file"),
        (["dataset=file:/no/such.csv"], "/no/such.csv: there is no such file"),
        (["dataset=sklearn:boston"], "dataset=sklearn:boston: NAME is one of breast_cancer, digits, iris, wine"),
        (["-m", "algo=sbp,smo", "highlight=sdca"], "highlight must be one of sbp, smo; got 'sdca'"),
        (["seed=range(3)"], "seed=range(3): several values are a sweep, which needs -m"),
        (["sbp"], "'sbp': a setting is NAME=VALUE"),
        (["-m", "algo=sbp,spb"], "unknown algorithm 'spb'; did you mean sbp?"),
        (["style=book"], "style must be one of screen, paper; got 'book'"),
        (["budget.epochs=1e300"], "budget.epochs = 1e+300 of 1,258 examples: more than 2^63 - 1"),
        (["hydra.verbose=0.0"], "Hydra cannot work with hydra.verbose=0.0: AssertionError"),
        (["store=server", "store.uri=postgresql://u:secret@host/db"], "got 'postgresql://...@host/db'"),
    ],
)
def test_wrong_commands_end_with_status_2_and_one_line(
    arguments: list[str], hint: str, tmp_path: Path, here: Ran
) -> None:
    store = tmp_path / "store"
    status, out, err = here(*arguments, root=store)
    assert (status, out) == (2, "")
    assert hint in err
    errors = [line for line in err.splitlines() if not line.startswith("...")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert not store.exists()


def test_a_folder_of_options_that_is_not_there_is_told_once(
    tmp_path: Path, here: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVM_CONFIG_DIR", f"{tmp_path}:{tmp_path / 'none'}")
    _, _, err = here("sbp", root=tmp_path / "store")
    assert err.count("warning:") == 1
    assert f"warning: SVM_CONFIG_DIR names {tmp_path / 'none'}: there is no such folder" in err


@pytest.mark.parametrize("sweep", [[], ["-m"]], ids=["run", "sweep"])
@pytest.mark.parametrize(
    ("root", "hint"),
    [
        ("http://127.0.0.1:5000", "begins with http:; a server is named by store=server store.uri=http://HOST:5000"),
        ("postgresql://user:secret@host/db", "begins with postgresql:"),
        ("sqlite:///results/mlflow.db", "begins with sqlite:"),
        ("", "store.root is empty"),
        ("x" * 5000, "store.root is too long for a path (5000 characters)"),
    ],
)
def test_a_store_that_is_no_folder_is_refused(
    sweep: list[str],
    root: str,
    hint: str,
    tmp_path: Path,
    here: Ran,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = here(*sweep, *TOY, root=root)
    assert (status, out) == (2, "")
    assert hint in err
    assert err.count("\n") == 1
    assert "secret" not in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [TOY, ["-m", *TOY]])
def test_an_unwritable_store_is_refused(words: list[str], tmp_path: Path, here: Ran) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    status, _, err = here(*words, root=blocked / "store")
    assert status == 2
    assert err.startswith("error: ")
    assert "Traceback" not in err
