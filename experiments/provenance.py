"""Provenance of a result: commit, machine, versions, command; without user names and home directories."""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from ..support.values import plain

PROJECT_ROOT = Path(__file__).resolve().parents[1]

SOURCE_PATHS = (
    *("cpp", "solvers", "datasets", "experiments", "support", "hydra_plugins", "package", "conf"),
    *("run.py", "reproduce.py", "CMakeLists.txt", "pyproject.toml"),
)
"""Untracked files in these paths make a checkout dirty: a new module can change results."""

PACKAGES = (
    *("svm-cost-curves", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "matplotlib"),
    *("hydra-core", "omegaconf", "mlflow"),
)
"""Distributions whose versions are recorded."""

SHORT = 0.2
"""A CPU time below this, in seconds, is short: a run made for its times is repeated until all together take it."""

UNCOMMITTED = "with uncommitted changes"
OWN_OUTPUT = ("evidence", "docs/results")
"""Folders that the project's commands write: their files may differ from the commit while the sources do not."""


def collect(
    build_info: Mapping[str, Any],
    data_provenance: Mapping[str, Any],
    command: Sequence[str],
    threads: int,
    jobs: int = 1,
    *,
    root: Path = PROJECT_ROOT,
) -> dict[str, Any]:
    """Return everything that is needed to judge, or to repeat, a result.

    Parameters
    ----------
    build_info, data_provenance : mapping
        ``solvers.build_info()``, ``Dataset.provenance``.
    command : sequence of str
        The command line, program first (``sys.argv``).
    threads, jobs : int
        Threads of the solver; runs that the command makes at a time on this machine.

    Returns
    -------
    dict
        JSON-able: ``commit`` (None outside a git checkout), ``dirty`` (likewise), ``build``, ``data``, ``cpu``,
        ``cores``, ``os``, ``memory`` (bytes), ``load`` (mean number of processes that ran or waited in the last
        minute), ``threads``, ``jobs``, ``blas`` (see `blas`), ``versions``, ``started`` (UTC, ISO 8601, seconds),
        ``command``. Home directories are written ``~``, the checkout ``.``, and the user's name inside a path
        ``<user>``.
    """
    commit, dirty = _state_at_first(root)
    scrub = _Scrubber(root)
    program = [Path(command[0]).name, *command[1:]] if command else []
    # shlex.quote would quote '=', ',' and '(' of every override; here only characters that split a word are quoted
    splits = re.compile(r"^$|[\s'\"\\$`;&|<>]")
    quoted = ["'" + word.replace("'", "'\\''") + "'" if splits.search(word) else word for word in program]
    return {
        "commit": commit,
        "dirty": dirty,
        "build": scrub(plain(build_info, "build")),
        "data": scrub(plain(data_provenance, "data")),
        **machine(),
        "load": round(os.getloadavg()[0], 2),
        "threads": int(threads),
        "jobs": int(jobs),
        "blas": blas(),
        "versions": versions(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": " ".join(map(scrub, quoted)),
    }


def is_timed(result: Mapping[str, Any]) -> bool:
    """Whether a run's result.json says that its times can be compared: made one at a time, and repeated if it is short.

    The times are then means over ``repeats`` equal runs (`experiments.run.repeats`).
    """
    alone = result.get("provenance", {}).get("jobs") == 1
    return bool(alone and ("repeats" in result or result["cpu_seconds"] >= SHORT))


@cache
def blas() -> str:
    """Return the BLAS libraries in use, with version and the processor that their loops are for.

    OpenBLAS chooses its loops by processor; those for AVX-512 and for AVX2 round differently.
    """
    import scipy.linalg  # noqa: F401 (the core takes its matrix product from there)
    from threadpoolctl import threadpool_info

    parts = ("internal_api", "version", "architecture")
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return ", ".join(sorted({" ".join(str(library.get(part)) for part in parts) for library in libraries}))


def as_tags(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a provenance (from `collect`) that the store records as tags; None: unknown.

    They are ``commit``, ``dirty``, ``compiler``, ``flags``, ``isa``, ``build_id``, ``cpu``, ``cores``, ``os``,
    ``threads``, ``versions`` (one line), ``data_sha256`` (all checksums of the data's files), ``stand_in``,
    ``started``, ``command``.
    """
    build, data = provenance.get("build", {}), provenance.get("data", {})
    return {
        **{name: provenance.get(name) for name in ("commit", "dirty", "cpu", "cores", "os", "threads")},
        **{name: build.get(name) for name in ("compiler", "flags", "isa", "build_id")},
        "versions": ", ".join(f"{name} {version}" for name, version in provenance.get("versions", {}).items()),
        "data_sha256": " ".join(dict.fromkeys(_checksums(data))),
        "stand_in": data.get("stand_in"),
        **{name: provenance.get(name) for name in ("started", "command")},
    }


def git_state(root: Path) -> tuple[str | None, bool | None]:
    """Return the commit of the checkout at `root`, and whether the checkout differs from it.

    Dirty means: a tracked file outside `OWN_OUTPUT` has changed, or there is an untracked (not ignored) file under
    `SOURCE_PATHS`. Other untracked files, such as notes or figures, cannot change a result.

    Returns
    -------
    commit : str or None
        Full hash. Where `root` is not the top of a git checkout (a copy of the project inside another repository does
        not get that repository's commit), or git is missing, that of the archive, sdist or wheel it came from, else
        None; None before the first commit.
    dirty : bool or None
        None when `root` is not the top of a git checkout or git is missing; True for an sdist or a wheel that was built
        from changed files.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top.strip()).resolve() != root.resolve():
        return _packaged_state(root)
    commit = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    excluded = [f":(exclude){folder}" for folder in OWN_OUTPUT]
    tracked = _git(root, "status", "--porcelain", "-z", "--untracked-files=no", "--", ".", *excluded)
    untracked = _git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", *SOURCE_PATHS)
    dirty = None if tracked is None or untracked is None else bool(tracked or untracked)
    return (commit.strip() if commit else None), dirty


def _packaged_state(root: Path) -> tuple[str | None, bool | None]:
    """Return what the file COMMIT of an archive, an sdist or a wheel says, as `git_state` does; nothing elsewhere."""
    try:
        text = (root / "COMMIT").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None, None
    commit = re.fullmatch("([0-9a-f]{40})(-dirty)?", text)
    return (commit[1], True if commit[2] else None) if commit else (None, None)


_state_at_first = cache(git_state)
"""`git_state` at the first call: a process goes on with the code that it has imported."""


def commit_text(commit: str | None, dirty: bool | None, *, digits: int = 12) -> str:
    """Return a commit as text, with a remark on uncommitted changes that nothing shortens; empty without a commit."""
    return commit[:digits] + (f" {UNCOMMITTED}" if dirty else "") if commit else ""


def machine() -> dict[str, Any]:
    """Return ``cpu``, ``cores`` (that this process may use), ``os`` and ``memory`` (bytes)."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    # not platform.platform(): version strings of kernels can contain host names
    release = re.match(r"[\d.]*\d", platform.release())
    kernel = f"{platform.system()} {release.group() if release else ''}".strip()
    try:
        distribution = platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        distribution = None
    system = ", ".join(part for part in (distribution, kernel, platform.machine()) if part)
    return {"cpu": cpu_model(), "cores": cores(), "os": system, "memory": memory}


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the name of the processor, from the operating system, with its family and model.

    A virtual machine may hide the number in the name: several generations are called "AMD EPYC".
    """
    try:
        text = cpuinfo.read_text(encoding="utf-8")
    except OSError:
        text = ""
    entries = dict(re.findall(r"^(model name|cpu family|model)\s*:\s*(.*\S)", text, re.MULTILINE))
    name = entries.get("model name") or platform.processor() or platform.machine() or "unknown"
    if "cpu family" in entries and "model" in entries:
        return f"{name}, family {entries['cpu family']} model {entries['model']}"
    return name


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed `PACKAGES`, read from their metadata: nothing is imported."""
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return installed


@cache
def cores() -> int:
    """Return the number of cores that this process may use."""
    # a container or a batch system may give it fewer than the machine has; macOS does not say
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _git(root: Path, *arguments: str) -> str | None:
    # in a hook GIT_DIR and similar variables name another repository
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(done.stdout)


def _checksums(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for name, value in data.items():
            if name == "sha256" and isinstance(value, str):
                yield value
            else:
                yield from _checksums(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _checksums(value)


class _Scrubber:
    """Replaces home directories, the path of the checkout and the user's name in every string of a JSON-able value."""

    def __init__(self, root: Path) -> None:
        # where a path begins: not within another one, but also right behind a compiler's -I or -L
        begin = r"(?:(?<![\w.-])|(?<=-[A-Z]))"
        # the longer path first: a checkout usually lies below the home directory
        paths = sorted(((str(root), "."), (str(Path.home()), "~")), key=lambda pair: -len(pair[0]))
        texts = [(begin + re.escape(path) + r"(?![\w.-])", sign) for path, sign in paths if path not in ("", "/")]
        texts.append((begin + r"/(?:home|Users)/[^/\s:,'\"]+", "~"))
        with contextlib.suppress(OSError, KeyError):  # of a user without a name
            texts.append((rf"(?<=/){re.escape(getpass.getuser())}(?=/|$)", "<user>"))
        self._replacements = [(re.compile(pattern), sign) for pattern, sign in texts]

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            for pattern, sign in self._replacements:
                value = pattern.sub(sign, value)
        elif isinstance(value, dict):
            return {name: self(item) for name, item in value.items()}
        elif isinstance(value, list):
            return [self(item) for item in value]
        return value
