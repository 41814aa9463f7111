from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import (
    HOSTILE,
    HOSTILE_TABLE,
    Page,
    claim_json,
    described_by,
    hostile_verdict,
    put,
    report_pages,
    report_text,
    tree,
    verdict,
)

from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.report.pages import remove_others, write_markdown, write_report
from svm_cost_curves.experiments.reproduction.report.rendering import anchor


def test_the_scorecard_lists_figures_that_are_made_and_that_are_not(figures: Path, specs: Path, tmp_path: Path) -> None:
    path = write_report(figures, tmp_path / "report")
    assert path == tmp_path / "report" / "index.html"
    text = report_text(path)
    assert sorted(report_pages(path)) == ["index.html", "other.html", "sbp.html"]
    assert [figure.id for figure in collect(figures).figures] == [
        "other_fig1",
        "sbp_fig2",
        "sbp_fig9",
        "sbp_table2",
    ]
    for part in (
        "The Kernelized Stochastic Batch Perceptron",
        "Title of sbp_fig2",
        "python3 reproduce.py figure=sbp_fig9 scale=paper",
        "Something is so.",
        "6.34\N{MULTIPLICATION SIGN}10⁻⁴",
        "The curve lies below.",
        "It does, by 0.2 points.",
        "The interval excludes zero.",
        "2 cases",
        "by 0.2 points",
        "3 of 4 figures and tables are made",
        "A note.",
        "x | y",
        "1 of 1 agree",
        "3 claims of the papers, 1 of them judged at a smaller scale than the paper's:",
    ):
        assert part in text, part
    assert "not made" in text


def test_the_largest_scale_comes_first_and_the_others_are_folded(figures: Path, specs: Path, tmp_path: Path) -> None:
    index = write_report(figures, tmp_path / "report")
    html = index.with_name("sbp.html").read_text(encoding="utf-8")
    article = html[html.index('id="sbp_fig2"') : html.index('id="sbp_fig9"')]
    places = [article.index(f"make {scale}</code>") for scale in ("paper", "quick", "demo")]
    assert places == sorted(places)
    assert places[0] < article.index('<details class="scale">') < places[1]
    assert "not what the paper did" not in article[: places[0]]
    assert "not what the paper did" in article[places[0] :]


def test_the_pages_are_self_contained_and_their_links_have_targets(figures: Path, specs: Path, tmp_path: Path) -> None:
    put(figures, "sbp_odd & #1", "paper", verdict())
    report = tmp_path / "report"
    pages = report_pages(write_report(figures, report))
    linked = set(pages)
    for name, page in pages.items():
        identifiers = [element["id"] for _, element in page.elements if "id" in element]
        assert len(identifiers) == len(set(identifiers)), name
        assert {tag for tag, _ in page.elements} & {"script", "iframe", "object", "base"} == set()
        pictures = [element for tag, element in page.elements if tag == "img"]
        assert all(picture["loading"] == "lazy" and "alt" in picture for picture in pictures)
        for link in [*page.all("a", "href"), *page.all("img", "src")]:
            place, _, anchor_ = link.partition("#")
            target = unquote(place) or name
            assert (report / target).is_file(), link
            linked.add(target)
            if anchor_ and target.endswith(".html"):
                assert f'id="{anchor_}"' in (report / target).read_text(encoding="utf-8"), link
    assert len([link for link in linked if link.endswith("data.csv")]) == 6
    assert linked == set(tree(report))
    assert (report / "files/sbp_fig2/paper/data.csv").read_bytes() == (figures / "sbp_fig2/paper/data.csv").read_bytes()
    assert str(tmp_path) not in "".join(path.read_text(encoding="utf-8") for path in report.glob("*.html"))


def test_a_page_is_written_when_its_figures_are_there(figures: Path, specs: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    written: list[list[str]] = []

    def whole() -> Iterator[str]:
        yield "sbp"
        written.append(sorted(path.name for path in report.glob("*.html")))

    write_report(figures, report, whole=whole())
    assert written == [["sbp.html"]]
    assert sorted(report_pages(report / "index.html")) == ["index.html", "other.html", "sbp.html"]


def test_pages_of_curves_are_linked_with_each_other_and_with_the_curves_of_a_reading(
    figures: Path, specs: Path, tmp_path: Path
) -> None:
    claim = claim_json("mixed")
    claim["readings"] = [
        claim["readings"][0] | {"id": "a & b", "shows": {"series": ["sbp"], "cost": "", "measure": ""}},
        claim["readings"][0] | {"id": "c"},
    ]
    odd = put(figures, "sbp_odd & #1", "paper", verdict(claims=[claim]))
    for folder in (odd, figures / "sbp_fig2" / "paper"):
        (folder / "curves.html").write_text('<body><nav id="figures"></nav></body>', encoding="utf-8")
    report = tmp_path / "report"
    index = report_pages(write_report(figures, report))["sbp.html"]
    place = "files/sbp_odd%20%26%20%231/paper/curves.html"
    links = index.all("a", "href")
    assert links.count(place) == 2  # one of them in the list of files
    assert links.count(f"{place}#claim=sbp.1&reading=a%20%26%20b") == 2
    assert not [link for link in links if link.endswith("reading=c")]
    for path in report.glob("files/*/paper/curves.html"):
        page = Page(path)
        assert [(path.parent / unquote(link)).resolve() for link in page.all("a", "href")] == [report / "sbp.html"]
        options = [attributes for name, attributes in page.elements if name == "option"]
        assert len(options) == 2
        assert all((path.parent / unquote(str(option["value"]))).is_file() for option in options)
        (chosen,) = [option for option in options if "selected" in option]
        assert (path.parent / unquote(str(chosen["value"]))).resolve() == path
    assert (odd / "curves.html").read_text(encoding="utf-8") == '<body><nav id="figures"></nav></body>'


def test_html_in_texts_is_escaped(tmp_path: Path, specs: Path) -> None:
    figures = tmp_path / "figures"
    put(figures, "odd", "paper", hostile_verdict(), table=HOSTILE_TABLE)
    pages = report_pages(write_report(figures, tmp_path / "report"))
    assert len(pages) == 3
    for page in pages.values():
        assert {name for name, _ in page.elements} & {"script"} == set()
        assert not [element for _, element in page.elements if "onerror" in element]
    assert sum(page.text.count(HOSTILE) for page in pages.values()) >= 20


def test_two_reports_on_the_same_figures_are_the_same(figures: Path, specs: Path, tmp_path: Path) -> None:
    (figures / "sbp_fig2" / "paper" / "figure.png").write_bytes(b"no picture")
    for name in ("a", "b"):
        write_report(figures, tmp_path / name)
        write_markdown(figures, tmp_path / name, "sbp")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_without_figures_the_page_lists_the_commands(specs: Path, tmp_path: Path) -> None:
    page = Page(write_report(tmp_path / "none", tmp_path / "deep" / "report"))
    assert "0 of 3 figures and tables are made" in page.text
    assert "not made" in write_markdown(tmp_path / "none", tmp_path, "sbp").read_text(encoding="utf-8")
    with described_by(tmp_path / "nowhere"):
        Page(write_report(tmp_path / "none", tmp_path / "empty"))


def test_a_description_that_cannot_be_read_is_named(figures: Path, specs: Path, tmp_path: Path) -> None:
    (specs / "sbp_bad.yaml").write_text("claims: 3\n", encoding="utf-8")
    text = report_text(write_report(figures, tmp_path / "report"))
    assert "sbp_bad.yaml" in text
    assert "The curve lies below." in text


def test_a_failure_leaves_the_earlier_figure_and_page(
    figures: Path, specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report"
    write_report(figures, report)
    before = tree(report)
    (figures / "sbp_fig2" / "paper" / "data.csv").write_text("other\n", encoding="utf-8")

    def fails(*_: object, **__: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", fails)
        with pytest.raises(OSError, match="no space"):
            write_report(figures, report)
    assert tree(report) == before
    write_report(figures, report)
    assert tree(report)["files/sbp_fig2/paper/data.csv"] == b"other\n"


def test_files_of_others_are_kept_and_earlier_figures_are_not(figures: Path, specs: Path, tmp_path: Path) -> None:
    target = tmp_path / "report"
    write_report(figures, target)
    kept = (target / "notes.txt", target / "files" / "thesis.tex", target / "files" / "sbp_fig2" / "demo" / "my.csv")
    for path in kept:
        path.write_text("mine", encoding="utf-8")
    remove_others(target / "files", [("sbp_fig2", "paper")])
    write_report(target / "files", target)
    assert [path.read_text(encoding="utf-8") for path in kept] == ["mine"] * 3
    assert sorted(name for name in tree(target) if name.startswith("files") and name.endswith(".png")) == [
        "files/sbp_fig2/paper/figure.png"
    ]


@given(st.text(max_size=6), st.text(max_size=6))
def test_anchors_of_different_names_differ(first: str, second: str) -> None:
    assert (anchor(first) == anchor(second)) == (first == second)
    assert not set(anchor(first)) & set(" \t\n\"'#<>&")
