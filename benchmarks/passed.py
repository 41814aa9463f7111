"""Counts the files and functions of this project that a command passes.

``.venv/bin/python -m benchmarks.passed run.py algo=sbp dataset=adult`` runs the command, and then prints on
standard error the number of functions of each file, and their sums. A function is a distinct pair of a file and a
qualified name that is called in the command's process; bodies of modules and of classes, comprehensions and lambdas are
none. ``--tree`` first prints the functions in the order of their first calls, indented by depth. Which calls there are
depends on what the store, the caches and the Gram matrices have already. The last line has the modules of `HEAVY` that
were imported.
"""

from __future__ import annotations

import inspect
import runpy
import sys
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("svm_cost_curves.solvers", "svm_cost_curves.datasets", "hydra", "omegaconf", "mlflow", "scipy")
Function = tuple[str, str]
"""Path of a file from the root of the project, and qualified name in it."""


def function_of(frame: FrameType | None) -> Function | None:
    """Return the function of this project that a frame executes; None for anything else."""
    if frame is None or not frame.f_code.co_flags & inspect.CO_NEWLOCALS or frame.f_code.co_name.startswith("<"):
        return None
    name = frame.f_code.co_filename.removeprefix(f"{ROOT}/").removeprefix("package/svm_cost_curves/")
    is_ours = name != frame.f_code.co_filename and not name.startswith((".venv/", "benchmarks/"))
    return (name, frame.f_code.co_qualname) if is_ours else None


def passed_by(program: Path, arguments: list[str]) -> dict[Function, int]:
    """Run a program in this process; return its functions in the order of their first calls, with the depths."""
    depths: dict[Function, int] = {}
    called: dict[int, CodeType] = {}  # most calls are of code that has been called before

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or id(frame.f_code) in called:
            return
        called[id(frame.f_code)] = frame.f_code
        if (function := function_of(frame)) is not None and function not in depths:
            depth, caller = 0, frame.f_back
            while caller is not None:
                depth, caller = depth + (function_of(caller) is not None), caller.f_back
            depths[function] = depth

    sys.argv = [str(program), *arguments]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        runpy.run_path(str(program), run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise
    finally:
        sys.setprofile(None)
    return depths


def main() -> None:
    """Print the numbers for the command that follows the name of this module."""
    arguments = [word for word in sys.argv[1:] if word != "--tree"]
    shows_tree = "--tree" in sys.argv
    depths = passed_by(ROOT / arguments[0], arguments[1:])
    if shows_tree:
        for (file, name), depth in depths.items():
            print(f"{'  ' * depth}{file}: {name}", file=sys.stderr)
    files = Counter(file for file, _ in depths)
    for file, count in sorted(files.items()):
        print(f"{count:4} {file}", file=sys.stderr)
    print(f"{len(files)} files, {len(depths)} functions", file=sys.stderr)
    print(f"imported: {', '.join(name for name in HEAVY if name in sys.modules) or 'none'}", file=sys.stderr)


if __name__ == "__main__":
    main()
