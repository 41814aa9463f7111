"""The report: one HTML page that needs no server, no script and nothing from elsewhere.

Its pictures and its style are in the page; the files that it links to lie beside it, so that the folder can be sent.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from experiments.reproduction.citations import paper_named
from experiments.reproduction.report.collect import FILES, Collection, Figure, collect
from experiments.reproduction.report.markup import Child, Markup, join, tag
from experiments.reproduction.report.section import anchor, badge, claim_anchor, figure_section, mark
from experiments.reproduction.report.words import WORDS, State, agreement
from experiments.reproduction.report.writing import replaced
from experiments.reproduction.spec import FIGURES

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def write_report(figures: Path, target: Path, *, specs: Path = FIGURES) -> Path:
    """Write the report on a folder of figures.

    Parameters
    ----------
    figures : Path
        As reproduce.py leaves it.
    target : Path
        Folder that gets ``index.html`` and ``files``; what else is in it stays.
    specs : Path
        Folder of the figures' descriptions; those that were not made are listed too.

    Returns
    -------
    Path
        ``index.html``.

    Raises
    ------
    FileExistsError
        `target` has a folder ``files`` that is someone else's.
    """
    collection = collect(figures, specs)
    with replaced(target, "index.html", "files", FILES) as draft:
        (draft / "files").mkdir()
        for figure in collection.figures:
            for result in figure.results:
                folder = draft / "files" / figure.id / result.scale
                folder.mkdir(parents=True)
                for name, path in result.files.items():
                    shutil.copyfile(path, folder / name)
        (draft / "index.html").write_text(_document(collection), encoding="utf-8")
    return target / "index.html"


def _document(collection: Collection) -> str:
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", "Reproduction report: error against cost for support vector machines"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(style)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the scorecard", class_="skip", href="#scorecard"),
        tag("div", _sidebar(collection), tag("main", *_main(collection)), class_="page"),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


def _main(collection: Collection) -> list[Child]:
    return [
        _introduction(collection),
        _scorecard(collection),
        *(_paper(key, figures) for key, figures in collection.papers().items()),
        tag(
            "footer",
            "Made by ",
            tag("code", "python reproduce.py figure=report"),
            ". The page loads nothing from elsewhere; the files that it links to lie beside it, in ",
            tag("code", "files"),
            ".",
        ),
    ]


def _introduction(collection: Collection) -> Markup:
    made = sum(bool(figure.results) for figure in collection.figures)
    states: list[State] = []
    smaller = 0
    for figure in collection.figures:
        if figure.results and figure.results[0].readable:
            result = figure.results[0]
            states += [claim.verdict for claim in result.record.claims]
            smaller += len(result.record.claims) if result.scale != "paper" else 0
        elif figure.spec is not None:
            states += [figure.state] * len(figure.spec.claims)
    tally = [
        tag("li", mark(state), tag("b", str(states.count(state))), " ", word.text, class_=state)
        for state, word in WORDS.items()
        if state in states
    ]
    total = f"{len(states)} claims of the papers" if len(states) != 1 else "One claim of the papers"
    total += f", {smaller} of them judged at a smaller scale than the paper's" if smaller else ""
    return tag(
        "header",
        tag("h1", "Reproduction report"),
        tag(
            "p",
            "Each figure and table of the papers, made again from counted runs, with the paper's "
            f"statements and numbers beside ours. {made} of {len(collection.figures)} figures and tables are made.",
            class_="lead",
        ),
        tag("p", total, ":", class_="tally-title") if states else None,
        tag("ul", tally, class_="tally") if states else None,
        [tag("p", problem, class_="notice bad") for problem in collection.problems],
        class_="top",
    )


def _sidebar(collection: Collection) -> Markup:
    lists = [
        join(
            tag("p", tag("a", paper_named(key).title, href=f"#paper.{anchor(key)}"), class_="side-paper"),
            tag(
                "ol",
                [
                    tag(
                        "li",
                        tag(
                            "a",
                            tag("span", figure.label),
                            tag("span", mark(figure.state), WORDS[figure.state].text, class_=f"said {figure.state}"),
                            href=f"#{anchor(figure.id)}",
                        ),
                    )
                    for figure in figures
                ],
            ),
        )
        for key, figures in collection.papers().items()
    ]
    title = tag("p", tag("a", "Scorecard", href="#scorecard"), class_="side-title")
    return tag("nav", title, lists, class_="side", aria_label="Scorecard in short")


def _scorecard(collection: Collection) -> Markup:
    names = ("Figure", "Verdict", "Claims", "Numbers", "Scale")
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in names]))
    bodies = []
    for key, figures in collection.papers().items():
        paper = paper_named(key)
        title = tag("th", paper.title, tag("small", " ", paper.source), scope="rowgroup", colspan=len(names))
        bodies.append(tag("tbody", tag("tr", title, class_="group"), [_row(figure) for figure in figures]))
    legend = [tag("span", mark(state), word.text, class_=f"said {state}") for state, word in WORDS.items()]
    return tag(
        "section",
        tag("h2", "Scorecard"),
        tag("table", head, bodies, class_="scorecard"),
        tag("p", legend, class_="legend", aria_hidden="true"),
        id="scorecard",
    )


def _row(figure: Figure) -> Markup:
    name = tag("a", figure.label, href=f"#{anchor(figure.id)}")
    claims: list[Markup] = []
    numbers, scale = "", tag("span", "not yet", class_="muted")
    if figure.results:
        result = figure.results[0]
        claims = [
            _pill(claim.id, claim.verdict, claim_anchor(result, place))
            for place, claim in enumerate(result.record.claims, start=1)
        ]
        numbers = agreement(result.record.numbers)
        stand_in = tag("span", "stand-in", class_="label warn") if result.record.stand_in else None
        kind = "label" if result.scale == "paper" else "label warn"
        scale = join(tag("span", result.scale, class_=kind), " ", stand_in)
    elif figure.spec is not None:
        claims = [_pill(claim.id, "not_made", anchor(figure.id)) for claim in figure.spec.claims]
    return tag(
        "tr",
        tag("th", name, tag("span", figure.title, class_="what"), scope="row"),
        tag("td", badge(figure.state)),
        tag("td", claims, class_="pills"),
        tag("td", numbers, class_="few"),
        tag("td", scale, class_="few"),
    )


def _pill(name: str, state: State, place: str) -> Markup:
    hidden = tag("span", f" {WORDS[state].text}", class_="hidden")
    return join(tag("a", mark(state), name, hidden, href=f"#{place}", class_=f"pill {state}"), " ")


def _paper(key: str, figures: list[Figure]) -> Markup:
    paper = paper_named(key)
    return tag(
        "section",
        tag("h2", paper.title),
        tag("p", paper.source, class_="muted") if paper.source else None,
        [figure_section(figure) for figure in figures],
        id=f"paper.{anchor(key)}",
        class_="paper",
    )
