"""Rules for the whole checkout: no traces of a machine, documents that agree with the code."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("benchmarks", "cpp", "datasets", "experiments", "hydra_plugins", "package", "solvers", "support")
FOLDERS = (*SOURCES, ".ci", ".github", "conf", "docs", "notebooks", "requirements", "tests")
NOT_TEXT = {".png", ".so", ".pyc", ".parquet", ".pdf", ".gz", ".xz", ".bz2", ".npz"}

LINES = 400


def files() -> Iterator[Path]:
    """All text files that belong to the project."""
    yield from (
        path for path in ROOT.iterdir() if path.is_file() and path.suffix not in NOT_TEXT and path.name != ".git"
    )  # in a worktree .git is a file
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in NOT_TEXT and "__pycache__" not in path.parts:
                yield path


def pyproject() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"(?<![\w.])/(?:root|work|home/(?!ann\b)[a-z][\w.-]*)/[\w.]", id="path of a machine"),
        pytest.param(
            r"pythonhosted|pypi\.org|/simple\b|artifactory|--(?:extra-)?index-url|find-links=", id="package host"
        ),
        pytest.param(r"-----BEGIN [A-Z ]*PRIVATE KEY|(?i:api[_-]?key|password)\s*=\s*['\"]\w", id="secret"),
    ],
)
def test_the_tree_holds_no(pattern: str) -> None:
    passages = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        if path != Path(__file__).resolve()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert passages == []


def _library_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that a module imports from other projects, and where they are from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name.partition(".")[0], alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _private_parts(tree: ast.Module) -> Iterator[str]:
    names = {
        name: origin
        for name, origin in _library_names(tree)
        if origin.partition(".")[0] not in (*SOURCES, "svm_cost_curves")
    }
    yield from (origin for origin in names.values() if re.search(r"(^|\.)_(?!_)|^mlflow\.store", origin))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr) and ast.unparse(node) != "os._exit":
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in names:
                yield ast.unparse(node)
        elif isinstance(node, ast.ClassDef) and "BaseException" in map(ast.unparse, node.bases):
            yield f"class {node.name}(BaseException)"


def test_only_public_parts_of_libraries_are_used() -> None:
    sources = [path for path in files() if path.suffix == ".py" and path.is_relative_to(ROOT)]
    program = [path for path in sources if path.relative_to(ROOT).parts[0] != "tests"]
    private = {str(path): [*_private_parts(ast.parse(path.read_text(encoding="utf-8")))] for path in program}
    assert len(private) > 300
    assert {path: parts for path, parts in private.items() if parts} == {}


def test_imports_inside_the_package_are_relative_so_that_editors_follow_them_without_a_build() -> None:
    folders = ("datasets", "experiments", "solvers", "support")
    inside = [path for path in files() if path.relative_to(ROOT).as_posix().startswith(folders)]
    sources = {path: ast.parse(path.read_text(encoding="utf-8")) for path in inside if path.suffix in (".py", ".pyi")}
    assert len(sources) > 250
    origins = {path: [origin for _, origin in _library_names(tree)] for path, tree in sources.items()}
    absolute = [path for path, names in origins.items() if any(name.startswith("svm_cost_curves") for name in names)]
    # a solver may be written as for a place outside the project (CONTRIBUTING.md)
    assert [path for path in absolute if path.parent.name != "solvers" or "from ." in path.read_text("utf-8")] == []


def test_what_the_site_and_the_notebooks_import_is_there() -> None:
    """They are not type-checked, and the tests do not build the site."""
    codes = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "site").rglob("*.py")]
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        codes += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    nodes = [node for code in codes for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    wanted = {(node.module, alias.name) for node in nodes for alias in node.names if not node.level}
    ours = sorted((module, name) for module, name in wanted if module and module.startswith("svm_cost_curves"))
    assert len(ours) > 30
    missing = [
        f"{module}.{name}"
        for module, name in ours
        if not hasattr(importlib.import_module(module), name) and importlib.util.find_spec(f"{module}.{name}") is None
    ]
    assert missing == []


def test_no_name_of_a_series_is_read_for_what_the_grid_says() -> None:
    pattern = r"(series|method|member|sample)\w*(\.name)?\.(r?split|r?partition|startswith|endswith|remove\w+)\("
    papers = sorted((ROOT / "experiments" / "papers").rglob("*.py"))
    assert len(papers) > 40
    assert [path.name for path in papers if re.search(pattern, path.read_text(encoding="utf-8"))] == []


def test_the_folder_of_data_files_is_named_in_one_place_only() -> None:
    paths = {
        str(path.relative_to(ROOT)) for path in files() if re.search(r"\bshared/data", path.read_text(encoding="utf-8"))
    }
    assert paths - {"tests/test_repository.py"} <= {".ci/run"}


def test_files_are_small() -> None:
    names = {path: path.relative_to(ROOT).as_posix() for path in files()}
    # a stub describes one compiled module, a figure's file one figure: they cannot become several
    sources = [path for path in names if names[path].startswith(SOURCES) and path.suffix not in (".pyi", ".yaml")]
    lines = {names[path]: len(path.read_text(encoding="utf-8").splitlines()) for path in sources}
    assert {name: count for name, count in lines.items() if count > LINES} == {}


def test_the_version_is_the_same_everywhere() -> None:
    version = pyproject()["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert re.search(rf"^## \[{re.escape(str(version))}\]", changelog, re.MULTILINE)
    assert citation["version"] == version


def test_the_citation_names_the_software_its_article_and_the_five_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    article, *papers = citation["references"]
    assert f"title: {json.dumps(article['title'])}" in (ROOT / "docs/article/article.typ").read_text(encoding="utf-8")
    assert article["authors"] == citation["authors"]
    assert len(papers) == 5
    for paper in papers:
        assert paper["title"]
        assert 2011 <= paper["year"] <= 2013
        assert all(author["family-names"] and author["given-names"] for author in paper["authors"])


def test_the_files_for_archives_say_what_the_citation_says() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo, codemeta = (
        json.loads((ROOT / name).read_text(encoding="utf-8")) for name in (".zenodo.json", "codemeta.json")
    )
    authors = [author["name"] for author in citation["authors"]]
    assert {zenodo["title"], codemeta["name"]} == {citation["title"]}
    assert {zenodo["version"], codemeta["version"]} == {citation["version"]}
    assert [author["name"] for author in zenodo["creators"]] == authors
    assert [author["name"] for author in codemeta["author"]] == authors
    assert zenodo["keywords"] == codemeta["keywords"] == citation["keywords"]
    assert zenodo["license"] == codemeta["license"].rpartition("/")[2] == citation["license"]
    assert citation["abstract"] == codemeta["description"]


def test_every_requirement_is_pinned_with_a_hash() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        assert lines
        for line in lines:
            assert re.match(r"[a-z0-9][a-z0-9._-]*==[\w.!+]+ .*--hash=sha256:[0-9a-f]{64}", line), (
                f"{path.name}: {line}"
            )


def test_every_dependency_is_pinned() -> None:
    def pinned(name: str) -> set[str]:
        return set(
            re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / name).read_text(encoding="utf-8"), re.MULTILINE)
        )

    def names(wanted: object) -> set[str]:
        assert isinstance(wanted, list)
        return {re.split(r"[<>=!\[ ]", str(requirement))[0].lower() for requirement in wanted}

    project = pyproject()
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    assert names(project["dependencies"]) <= pinned("run.txt") <= pinned("dev.txt")
    site, ray, slurm, bench = (extras.pop(name) for name in ("site", "ray", "slurm", "bench"))
    assert set().union(*map(names, extras.values())) <= pinned("dev.txt")
    assert names(project["dependencies"]) | names(bench) <= pinned("bench.txt")
    assert names(project["dependencies"]) | names(site) <= pinned("site.txt")
    assert names(project["dependencies"]) | names(ray) | names(slurm) <= pinned("sweep.txt")


DISTRIBUTIONS = {
    "PIL": "pillow",
    "hydra": "hydra-core",
    "pydantic_core": "pydantic",  # of which it is a part
    "sklearn": "scikit-learn",
    "sklearnex": "scikit-learn-intelex",
    "yaml": "pyyaml",
}
"""What has a package of Python, where their names differ."""


def test_every_library_that_the_program_imports_is_a_dependency() -> None:
    project = pyproject()
    wanted = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    known = {re.split(r"[<>=!;\[ ]", requirement)[0] for requirement in wanted}
    known |= {"benchmarks", "svm_cost_curves", *sys.stdlib_module_names}
    for folder in ("benchmarks", "datasets", "experiments", "hydra_plugins", "solvers", "support"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"^ *(?:import|from(?= [\w.]+ import)) (\w+)", text, re.MULTILINE):
                assert DISTRIBUTIONS.get(name, name.replace("_", "-")) in known or name in known, f"{path}: {name}"


def test_the_workflows_run_targets_of_make_with_pinned_actions_and_every_allowed_python() -> None:
    workflows = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "workflows").iterdir()}
    jobs = workflows["ci"]["jobs"]
    steps = [step for workflow in workflows.values() for job in workflow["jobs"].values() for step in job["steps"]]
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    run = {" ".join(step["run"].split()[:2]) for step in steps if "run" in step}
    checks = {"make lint", "make sanitize", "make test", "make demo", "make site", "make test-versions", "make wheels"}
    assert checks <= run <= {f"make {target}" for target in targets}
    for step in steps:
        assert "run" in step or re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
    lowest = str(pyproject()["requires-python"]).removeprefix(">=")
    tested = jobs["lint-and-test"]["strategy"]["matrix"]["python"]
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]["build"]
    assert tested[0] == lowest
    others = {row["versions"]: row["python"] for row in jobs["other-versions"]["strategy"]["matrix"]["include"]}
    assert others == {"lowest": tested[0], "newest": tested[-1]}
    assert wheels == [f"cp{version.replace('.', '')}-*" for version in tested]


@pytest.mark.parametrize("name", ["datasets", "experiments", "solvers", "support"])
def test_a_folder_is_not_imported_under_a_second_name(name: str) -> None:
    # mlflow looks for a package `datasets`, which is not this folder
    code = f"import {'mlflow.data, ' * (name == 'datasets')}{name}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"ImportError: write svm_cost_curves.{name} for {name}: the folders of this checkout are one package\n"
    )


def output_of_pytest(folder: Path, text: str, **environment: str) -> str:
    """Return what pytest prints about a file of tests under the project's conftest.py, in an environment."""
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "test_some.py").write_text(text, encoding="utf-8")
    words = ["-m", "pytest", "-q", "-c", os.devnull, f"--rootdir={folder}", "-p", "no:cacheprovider", str(folder)]
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=inherited | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("required", "outcome"), [("1", "1 failed, 1 skipped, 1 xfailed"), ("0", "2 skipped, 1 xfailed")]
)
def test_a_skip_for_want_of_real_data_can_be_made_a_failure(required: str, outcome: str, tmp_path: Path) -> None:
    text = (
        "import pytest\n"
        "@pytest.mark.real_data\n"
        "def test_data(): pytest.skip('no files')\n"
        "def test_other(): pytest.skip('another reason')\n"
        "@pytest.mark.real_data\n"
        "def test_known(): pytest.xfail('known')\n"
    )
    assert outcome in output_of_pytest(tmp_path, text, SVM_REQUIRE_REAL_DATA=required)


def test_a_test_does_not_see_the_users_settings(tmp_path: Path) -> None:
    hostile = {"SVM_SOLVERS": "x", "MLFLOW_TRACKING_URI": "x", "FORCE_COLOR": "1", "COLUMNS": "9", "https_proxy": "x"}
    text = (
        "import os\n"
        "from pathlib import Path\n"
        "def test_environment():\n"
        f"    assert not set({sorted(hostile)}) & set(os.environ)\n"
        "    assert list(Path.home().iterdir()) == []\n"
        "    (Path.home() / 'file').touch()\n"
    )
    home = tmp_path / "home"
    home.mkdir()
    assert "1 passed" in output_of_pytest(tmp_path, text, **hostile, HOME=str(home))
    assert list(home.iterdir()) == []
