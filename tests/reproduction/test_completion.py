"""Words with which a shell completes a command line of reproduce.py."""

from __future__ import annotations

import pytest

from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.completion import completions


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("python3 reproduce.py figure=sbp_fig", [f"figure=sbp_fig{k}" for k in range(1, 5)]),
        ("python3 reproduce.py figure=sbp_fig2,sbp_fig3 scale=", ["scale=demo", "scale=quick", "scale=paper"]),
        ("python3 reproduce.py dataset=adult,as", ["dataset=adult,astro_ph"]),
        ("python3 reproduce.py sc", ["scale="]),
        ("python3 reproduce.py style=p", ["style=paper"]),
        ("python3 reproduce.py --dry", ["--dry-run"]),
        ("python3 reproduce.py jobs=", []),
    ],
)
def test_the_last_word_is_completed(line: str, words: list[str]) -> None:
    assert completions(line) == words


def test_an_empty_word_offers_all_settings() -> None:
    assert {"figure=", "scale=", "style=", "publish", "--help"} <= set(completions("python3 reproduce.py "))


def test_the_shell_asks_as_it_asks_hydra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COMP_LINE", "python3 reproduce.py figure=rep and more")
    monkeypatch.setenv("COMP_POINT", "30")
    assert main(["-sc", "query=bash"]) == 0
    assert capsys.readouterr().out == "figure=report\n"


def test_the_installation_is_that_of_run_py(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-sc", "install=bash"]) == 2
    assert 'eval "$(python3 run.py -sc install=bash)"' in capsys.readouterr().err
