"""Random command lines of ``run.py`` from the real vocabulary: each ends with status 0 or 2, and without a traceback.

``python tests/random_commands.py 2000 --seed 0`` runs 2,000 of them, one after the other, and prints counts and
failures; ``--only N`` runs the N-th of them alone and shows its output.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import os
import random
import resource
import shlex
import signal
import sys
import tempfile
import time
import typing
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TIME_LIMIT = 300.0
"""Seconds after which a command hangs; none here asks for more than a second of a solver."""
MEMORY_LIMIT = 8 * 2**30
"""Bytes of address space of a command."""

NO_NUMBERS = ["nan", "inf", "-inf", "abc", "", "null", "true", "[1]", "{a: 1}", "'1'", "${oc.env:HOME}", "${now:%Y}"]
NO_NUMBERS += ["${nothing}", "${seed}", "1e400", "0x10", "1_000", "...", "1,", "'a b'", "é"]
FLOATS = ["0", "-1", "1e-300", "1e-30", "1e30", "1e300", "5e-324", "1e19", "9223372036854775808", *NO_NUMBERS]
INTEGERS = ["0", "-1", "1.5", "1e3", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807"]
INTEGERS += ["9223372036854775808", "-9223372036854775809", "1" + 5000 * "0", *NO_NUMBERS]
WORDS = ["", "abc", "null", "1", "nan", "a/b", "../x", "é", "${oc.env:HOME}", "[a]", "{a: b}", "a=b", "'", "x" * 300]
DATA = {
    "digits": ["dataset=digits"],
    "adult": ["dataset=adult", "dataset.max_train=200", "dataset.max_test=100"],
    "synthetic": ["dataset=synthetic", "dataset.n=60", "dataset.n_test=20", "dataset.d=5"],
    "file": ["dataset=file", "dataset.train=points.svm"],
}
PLACES = ["http://127.0.0.1:5000", "postgresql://user:secret@host/db", "sqlite:///results/mlflow.db", "file:///tmp/x"]
PLACES += ["s3://bucket/x", "/proc/nope", "/dev/null", "x" * 5000, "a?b", "results/x.db", "~/x", "'a b'", "\x07bell"]
HYDRA = ["hydra.verbose=0.0", "hydra.verbose=true", "hydra.verbose=[a]", "hydra.job.name=x", "hydra.run.dir=3"]
HYDRA += ["hydra.job.chdir=maybe", "hydra.searchpath=[a]", "hydra.searchpath=3", "hydra/launcher=nothing"]
HYDRA += ["hydra.job.env_set={A: b}", "hydra.job.env_copy=[NO_SUCH_NAME]", "hydra.output_subdir=x", "hydra.mode=RUN"]
HYDRA += ["+hydra.nothing=1", "hydra/job_logging=default", "hydra/sweeper=basic", "hydra.sweep.dir=/proc/x"]
ODD = [*HYDRA, "nonsense", "algo", "=", "algo.=1", "+x=1", "~algo", "algo@x=sbp", "-x"]


class Ended(NamedTuple):
    """End of a command: its status (None: it did not end), and its standard error."""

    status: int | None
    err: str

    @property
    def fault(self) -> str:
        """The fault of this ending; empty: none."""
        if self.status not in (0, 2):
            return "hangs" if self.status is None else f"status {self.status}"
        if "Traceback (most recent call last)" in self.err:
            return "traceback"
        return "nothing said" if self.status and not self.err.strip() else ""


def command_lines(seed: int, count: int) -> Iterator[list[str]]:
    """Yield words of command lines; those of a seed are the same in every process, and for every count."""
    for number in range(count):
        yield _Draw(random.Random(f"{seed} {number}")).words()


class _Draw:
    """One command line."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._wild = chance.choice([0.0, 0.02, 0.1, 0.4])

    def words(self) -> list[str]:
        from svm_cost_curves import solvers

        chance = self._chance
        algo = chance.choice(solvers.names())
        self._solver = solvers.get(algo)
        sweep = chance.random() < 0.12
        words = [f"algo={algo}", *DATA[chance.choice([*DATA])], "budget.seconds=0.2", "progress=false"]
        fields = dataclasses.fields(self._solver.Settings)
        hints = typing.get_type_hints(self._solver.Settings)
        some = chance.sample(fields, min(len(fields), chance.choice([0, 1, 1, 2])))
        words += [f"algo.{field.name}={self._value(hints[field.name], field.default)}" for field in some]
        parts = [self._kernel, self._problem, self._budget, self._resources, self._places, self._data]
        chosen = chance.sample(parts, chance.choice([1, 2, 2, 3]))
        for part in chosen:
            words += part()
        if self._kernel not in chosen and "gaussian" not in self._solver.kernels and not self._odd(0.2):
            words.append(f"kernel={sorted(self._solver.kernels)[0]}")
        if self._problem not in chosen and False not in self._solver.biases and not self._odd(0.2):
            words.append("problem.bias=true")
        if self._odd(0.1):
            words.append(chance.choice(ODD))
        if sweep:
            words = ["-m", *self._swept(words), "hydra/launcher=here"]
        return words

    def _odd(self, share: float) -> bool:
        return self._chance.random() < share * (self._wild / 0.3)

    def _value(self, kind: Any, default: Any) -> str:
        """Return a value of a setting: a plausible one, or now and then an odd one."""
        kinds = [k for k in typing.get_args(kind) if k is not type(None)] or [kind]
        tame, odd = WORDS, WORDS
        if isinstance(kinds[0], type) and issubclass(kinds[0], enum.Enum):
            tame = [*kinds[0].__members__]
        elif kinds[0] is bool:
            tame, odd = ["true", "false"], [*NO_NUMBERS, "2"]
        elif kinds[0] is int:
            tame, odd = ["1", "2", "8", str(default)], INTEGERS
        elif kinds[0] is float:
            tame, odd = ["1", "0.5", "0.1", "1e-3", str(default).replace("None", "null")], FLOATS
        return self._chance.choice(odd if self._odd(0.3) else tame)

    def _kernel(self) -> list[str]:
        wild = self._odd(0.3)
        name = self._chance.choice(
            ["gaussian", "linear", "polynomial", "cubic"] if wild else sorted(self._solver.kernels)
        )
        keys = {"gaussian": ["sigma2"], "polynomial": ["degree", "gamma", "coef0"], "linear": [], "cubic": ["x"]}[name]
        if self._odd(0.2):
            keys = ["sigma2", "degree"]
        kinds = {"degree": int}
        return [f"kernel={name}", *(f"kernel.{key}={self._value(kinds.get(key, float), 1)}" for key in keys)]

    def _problem(self) -> list[str]:
        kinds = {"lambda_": float, "C": float, "nu": float, "bias": bool, "rho": float}
        if self._odd(0.4):
            names = self._chance.sample([*kinds], self._chance.choice([1, 1, 2]))
            return [f"problem.{name}={self._value(kinds[name], 1)}" for name in names]
        form = self._chance.choice(["lambda_", "C", "nu"])
        bias = self._chance.choice(sorted(self._solver.biases))
        return [f"problem.{form}={self._value(float, 1)}", f"problem.bias={str(bias).lower()}"]

    def _budget(self) -> list[str]:
        chance = self._chance
        if chance.random() < 0.2:  # with these the epochs are the only limit
            evenly = [f"budget.every={self._value(float, 0.1)}"]
            if chance.random() < 0.5:
                evenly.append(f"budget.tail={self._value(float, 0.5)}")
            return ["budget.seconds=null", f"budget.epochs={chance.choice(['1', '0.5', '2'])}", *evenly]
        name = chance.choice(["epochs", "iterations", "kernel_evaluations", "inner_products", "feature_accesses"])
        if chance.random() < 0.2:
            many = [text for text in INTEGERS if text != "65536"]  # allowed, and takes more than `TIME_LIMIT`
            return [f"budget.evaluations={chance.choice(many if self._odd(0.3) else ['1', '2', '60', '1000'])}"]
        if chance.random() < 0.2:
            return [f"budget.seconds={chance.choice(['0.1', '0', '-1', 'nan', 'inf', 'abc', '1e-300', '[1]'])}"]
        if chance.random() < 0.5:  # in this counter alone
            small = {"epochs": "0.5", "iterations": "30"}.get(name, "5000")
            return ["budget.seconds=null", f"budget.{name}={small}"]
        return [f"budget.{name}={self._value(float, 100)}"]

    def _resources(self) -> list[str]:
        choice = self._chance.choice
        words = [
            *(f"{name}={self._value(int, 1)}" for name in ("seed", "threads", "ranks")),
            f"memory={choice(['1GiB', '100MB', '1', '0', '1e308TiB', 'GiB', *NO_NUMBERS])}",
            f"rows.provider={choice(['auto', 'gram', 'cache', 'on_the_fly', *WORDS[:4]])}",
            f"checkpoint_seconds={self._value(float, 30)}",
            f"progress={choice(['auto', 'true', 'perhaps', '3'])}",
            f"engine={choice(['local', 'cloud', ''])}",
            f"protocol={choice(['elsewhere_linear', 'elsewhere', 'null', '', '[x]'])}",
        ]
        return self._chance.sample(words, choice([1, 2]))

    def _places(self) -> list[str]:
        if not self._odd(0.5):
            return ["store=local"]
        uri = self._chance.choice(["", "http://127.0.0.1:1", "nowhere", "http://u:secret@127.0.0.1:1", "3", "null"])
        either = [["store=server", f"store.uri={uri}"], [f"store.root={self._chance.choice(PLACES)}"]]
        return self._chance.choice(either)

    def _data(self) -> list[str]:
        wild = [f"dataset.max_train={self._value(int, 50)}", f"dataset.scaling={self._chance.choice(WORDS)}"]
        wild += ["dataset.positive=[1]", "dataset.nothing=1", "dataset.validation_fraction=0.2", "dataset=nowhere"]
        tame = ["dataset.max_train=50", "dataset.scaling=standard", "dataset.validation_fraction=0.2"]
        return [self._chance.choice(wild if self._odd(0.4) else tame)]

    def _swept(self, words: Sequence[str]) -> list[str]:
        from svm_cost_curves import solvers

        chance = self._chance
        algos = ",".join(chance.sample(solvers.names(), 2))
        more = ["seed=0,1", f"algo={algos}", "problem.C=0.1,1", "seed=range(2)", "seed=choice(1,2)", "threads=1,x"]
        more += ["seed=range(0)", "seed=interval(0,1)", "seed=glob(*)", "algo=glob(s*p)", "kernel=linear,gaussian"]
        return [*words, chance.choice(more if self._odd(0.5) else more[:3])]


class Runner:
    """Runs commands in a folder, each in a child of this process, which has imported what every run needs."""

    def __init__(self, folder: Path) -> None:
        from svm_cost_curves.experiments.command_line import program
        from svm_cost_curves.experiments.configuration.composition import settings_of

        settings_of([])
        self._main = program.main
        self._folder = folder
        lines = [f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * i) % 11} 3:1\n" for i in range(40)]
        (folder / "points.svm").write_text("".join(lines), encoding="utf-8")

    def __call__(self, words: Sequence[str]) -> Ended:
        """Run one command to its end, or kill it after `TIME_LIMIT`."""
        err = self._folder / "err.txt"
        child = os.fork()
        if child == 0:
            self._run(words, err)
        deadline = time.monotonic() + TIME_LIMIT
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.005)
        if ended[0] == 0:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        status = None if ended[0] == 0 else os.waitstatus_to_exitcode(ended[1])
        return Ended(status, err.read_text(encoding="utf-8", errors="replace"))

    def _run(self, words: Sequence[str], err: Path) -> typing.NoReturn:
        status = 1
        try:
            os.setpgid(0, 0)
            for path, descriptor in ((self._folder / "out.txt", 1), (err, 2)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
            os.chdir(self._folder)
            folders = {name: str(self._folder / name) for name in ("cache", "gram")}
            os.environ.update(SVM_DATA_CACHE=folders["cache"], SVM_GRAM_DIR=folders["gram"], SVM_MLFLOW="off")
            sys.argv = ["run.py", *words]
            status = self._main()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


def main() -> int:
    """Run commands, and print how each of them ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, help="number of commands")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this one of them alone, and show its output")
    asked = parser.parse_args()
    faults: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder))
        for number, words in enumerate(command_lines(asked.seed, asked.count)):
            if asked.only not in (None, number):
                continue
            ended = runner(words)
            faults[ended.fault or f"status {ended.status}, as it should"] += 1
            if number % 100 == 99:
                print(f"{number + 1} commands: {dict(sorted(faults.items()))}", flush=True)
            if ended.fault or asked.only is not None:
                last = "\n    ".join(ended.err.strip().splitlines()[-3:])
                shown = ended.err if asked.only is not None else f"    {last}"
                print(f"{number}: {ended.fault}: run.py {shlex.join(words)[:600]}\n{shown}", flush=True)
    for ending, count in sorted(faults.items()):
        print(f"{count:6d} {ending}")
    return int(any(not ending.endswith("as it should") for ending in faults))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
