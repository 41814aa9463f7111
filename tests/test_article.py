"""The article: it builds, and its numbers are those of the published runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typst

from docs.article.build import ROOT, build

ARTICLE = ROOT / "docs" / "article" / "article.typ"
ALLOWED = {
    "1998", "1999", "2005", "2006", "2008", "2009", "2010", "2011", "2012", "2013",  # years of papers and programs
    "95 %",  # the level of the intervals
    "1,024", "512",  # sizes that are settings of the runs
    "20 %", "5 %",  # targets of the arenas
    "12 to 20", "2 to 40",  # the protocol's data sets; a paper's words
}  # fmt: skip


def prose(text: str) -> str:
    """The text without comments, mathematics, raw text and calls."""
    text = re.sub(r"(?m)//.*$|\$[^$]*\$|`[^`]*`", " ", text)
    kept, depth, call = [], 0, False
    for character in text:
        call = call or character == "#"
        if call and character == "(":
            depth += 1
        elif call and character == ")":
            depth -= 1
            call = depth > 0
        elif call and depth == 0 and not re.match(r"[\w#.-]", character):
            call = False
        if not call:
            kept.append(character)
    return "".join(kept)


def test_it_is_written_as_pdf_and_as_a_page(tmp_path: Path) -> None:
    pdf, page = build(tmp_path)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert "Five SVM papers" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "call",
    [
        'number("sbp_libsvm", "sbp.4", "adult", "hours")',
        'number("sbp_libsvm", "sbp.4", "iris", "rival_seconds")',
        'held("sbp_libsvm", "sbp.1")',
        'held("sbp_fig2", "sbp.1", reading: "at_night")',
        'printed("asset_table2", "asset error on iris")',
        'from("sbp_fig9")',
    ],
)
def test_a_name_that_evidence_does_not_have_stops_the_build(call: str) -> None:
    text = f'#import "/docs/article/evidence.typ": *\n#{call}'
    with pytest.raises(typst.TypstError):
        typst.Compiler(text.encode(), root=ROOT).compile()


def test_a_number_is_that_of_the_published_runs() -> None:
    evidence = json.loads((ROOT / "evidence" / "sbp_libsvm.json").read_text(encoding="utf-8"))
    case = next(c for c in evidence["verdict"]["claims"][0]["readings"][0]["rulings"] if c["dataset"] == "adult")
    text = """#import "/docs/article/evidence.typ": *
#metadata(number("sbp_libsvm", "sbp.4", "adult", "rival_error", form: x => x)) <error>"""
    (error,) = json.loads(typst.Compiler(text.encode(), root=ROOT).query("<error>", field="value"))
    assert error == case["statistic"]["rival_error"]


def queried(call: str) -> Any:
    """The value of a call of evidence.typ."""
    text = f'#import "/docs/article/evidence.typ": *\n#metadata({call}) <value>'
    (value,) = json.loads(typst.Compiler(text.encode(), root=ROOT).query("<value>", field="value"))
    return value


@pytest.mark.parametrize("kind", ["seconds", "other"])
def test_confirmed_claims_are_counted_over_all_figures_of_the_papers(kind: str) -> None:
    verdicts = []
    for paper in ("sbp", "simba", "sgdr", "minibatch", "asset"):
        for path in (ROOT / "evidence").glob(f"{paper}_*.json"):
            for claim in json.loads(path.read_text(encoding="utf-8"))["verdict"]["claims"]:
                shows = claim["readings"][0]["shows"] or {}
                if claim["type"] == "empirical" and (shows.get("cost") == "cpu_seconds") == (kind == "seconds"):
                    verdicts.append(claim["verdict"])
    good = sum(verdict in ("reproduced", "mostly") for verdict in verdicts)
    assert 0 < good < len(verdicts)
    assert queried(f'confirmed("{kind}")') == f"{good} of {len(verdicts)}"


def test_a_statement_prints_the_ruling_of_its_case() -> None:
    evidence = json.loads((ROOT / "evidence" / "sbp_fig2.json").read_text(encoding="utf-8"))
    reading = next(claim for claim in evidence["verdict"]["claims"] if claim["id"] == "sbp.1")["readings"][0]
    rulings = {f"{case['about']}: {case['measured']}": case["ruling"] for case in reading["rulings"]}
    parts = queried('statement("sbp_fig2", "sbp.1").at(2)')["children"]
    assert (parts[0]["text"], parts[-1]["body"]["text"]) == (reading["decided_by"], rulings[reading["decided_by"]])


def test_the_appendix_names_the_data_sets_of_the_runs() -> None:
    assert queried('data-here("simba", "real_sim").text') == "rcv1_ccat_subset"
    assert queried('data-here("sgdr", "webspam")') is None


def test_no_number_is_written_by_hand() -> None:
    text = ARTICLE.read_text(encoding="utf-8")
    body = prose(text[text.index("= The question") : text.index("= Data statement")])
    body = re.sub(r"RCV1|C11|20 Newsgroups|numbering.*|counter.*|\.update.*", " ", body)
    assert set(re.findall(r"\d[\d.,]*\d(?: to \d+)?(?: %)?|\d(?: to \d+)?(?: %)?", body)) <= ALLOWED
