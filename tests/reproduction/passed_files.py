"""Lists the files of the project whose functions ``reproduce.py`` calls: ``python tests/reproduction/passed_files.py
figure=asset_fig2 scale=paper from=evidence``.

Bodies of modules, classes and expressions do not count. The last line has the modules of `HEAVY` that were imported.
"""

import runpy
import sys
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).parents[2]
HEAVY = ("svm_cost_curves.solvers", "svm_cost_curves.datasets", "hydra", "omegaconf", "mlflow", "scipy")
passed: dict[str, set[str]] = {}
seen: set[CodeType] = set()


def note(frame: FrameType, _: str, __: object) -> None:
    """Note the call of a function; without a result its lines are not traced."""
    if (code := frame.f_code) in seen:
        return
    seen.add(code)
    folder, inside, name = code.co_filename.partition(f"{ROOT}/")
    is_body = code.co_name.startswith("<") or "__module__" in code.co_names  # of a module, a class or an expression
    if inside and not folder and not is_body and not name.startswith(".venv"):
        passed.setdefault(name, set()).add(code.co_qualname)


if __name__ == "__main__":
    sys.argv = ["reproduce.py", *sys.argv[1:]]
    sys.path.insert(0, str(ROOT))
    sys.settrace(note)
    try:
        runpy.run_path(str(ROOT / "reproduce.py"), run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise
    sys.settrace(None)
    files = sorted(name for name in passed if name.endswith(".py"))
    print("\n".join(f"{len(passed[name]):>4} {name}" for name in files))
    print(f"{len(files)} files; imported: {' '.join(name for name in HEAVY if name in sys.modules) or 'none'}")
