"""Every instruction set that the processor has gives the same kernels and the same predictors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cases import ROOT, Python

from svm_cost_curves.solvers import _core

PORTABLE = _core.build_info()["isa"] == "portable"
REFUSAL = f"SVM_ISA=v9 is not {'portable' if PORTABLE else 'one of v3, v4, v4a'}"

CODE = """
import sys
import numpy as np
from cases import gram, problem, run
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Polynomial, build_info

out = {"isa": build_info()["isa"]}
for as_csr in (False, True):
    for kernel in (Gaussian(2.0), Polynomial(3, 0.3, 1.0), Linear()):
        for provider in ("gram", "on_the_fly"):
            p = problem(151, 9, as_csr=as_csr, zeros=0.3, kernel=kernel, rows={"provider": provider})
            out[f"kernel {as_csr} {kernel} {provider}"] = gram(p)
for name, bias, iterations in (
    ("sbp", False, 400), ("sbp", True, 400), ("pegasos", False, 2000), ("sdca", False, 2000),
    ("smo", False, 10**6), ("smo", True, 10**6), ("perceptron", False, 1000),
    ("svmlight", False, 10**6), ("svmlight", True, 10**6), ("lasvm", True, 10**6),
):
    p = problem(151, 9, bias=bias, rows={"provider": "on_the_fly"})
    settings = {"tolerance": 1e-8} if name in ("smo", "svmlight", "lasvm") else {}
    settings |= {"passes": 0} if name == "lasvm" else {}
    snapshot = run(name, p, Limit(iterations=iterations), 5, **settings).snapshot()
    out[f"run {name} {bias}"] = gram(p) @ snapshot.coefficients + snapshot.bias
p = problem(151, 9)
for name in ("asset", "cpny"):
    snapshot = run(name, p, Limit(iterations=2000), 5, features=40).snapshot()
    out[f"run {name}"] = gram(p) @ snapshot.coefficients
out["run fourier"] = run("fourier", p, pairs=64, relative_gap=1e-7, max_epochs=10**5).snapshot().decision_values(p.X)
np.savez(sys.argv[1], **out)
"""


def results(python: Python, folder: Path, isa: str) -> dict[str, np.ndarray] | None:
    answer = python(CODE, folder / f"{isa}.npz", SVM_ISA=isa, SVM_GRAM_DIR=str(folder / isa))
    if "this processor does not have it" in answer.stderr:
        return None
    assert answer.returncode == 0, answer.stderr
    return dict(np.load(folder / f"{isa}.npz"))


@pytest.mark.skipif(PORTABLE, reason="built for one instruction set only")
@pytest.mark.parametrize("isa", ["v4", "v4a"])
def test_an_instruction_set_agrees_with_avx2(isa: str, python: Python, tmp_path: Path) -> None:
    base = results(python, tmp_path, "v3")
    assert base is not None
    assert base["isa"] == "v3"
    other = results(python, tmp_path, isa)
    if other is None:
        pytest.skip("this processor has no AVX-512")
    assert other["isa"] == isa
    assert other.keys() == base.keys()
    for name in base.keys() - {"isa"}:
        size = max(1.0, float(np.abs(base[name]).max()))
        tolerance = 1e-3 if name == "run fourier" else 1e-6
        np.testing.assert_allclose(other[name], base[name], rtol=0, atol=tolerance * size, err_msg=name)


def test_refuses_an_instruction_set_that_does_not_exist(python: Python) -> None:
    answer = python("from svm_cost_curves import solvers; print(solvers.build_info())", SVM_ISA="v9")
    assert answer.returncode != 0
    assert REFUSAL in answer.stderr


@pytest.mark.parametrize("script", ["run.py", "reproduce.py"])
def test_the_scripts_refuse_it_with_a_message(script: str, python: Python) -> None:
    code = f"import runpy; runpy.run_path({str(ROOT / script)!r}, run_name='__main__')"
    answer = python(code, SVM_ISA="v9")
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"error: {REFUSAL}")
    assert len(answer.stderr.splitlines()) == 1


def test_an_empty_name_is_ignored(python: Python) -> None:
    answer = python("from svm_cost_curves.solvers import _core; print(_core.build_info()['isa'])", SVM_ISA="")
    assert (answer.returncode, answer.stdout.strip()) == (0, _core.build_info()["isa"])
