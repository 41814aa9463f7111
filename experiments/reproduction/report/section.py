"""What the report says about one figure: picture, claims, numbers, table, and how it was made."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from experiments.reproduction.report.collect import Figure, Result
from experiments.reproduction.report.markup import Markup, join, tag
from experiments.reproduction.report.pictures import fitted, size
from experiments.reproduction.report.tables import parsed, spans
from experiments.reproduction.report.words import WORDS, State, command_for, comparison, quantity
from experiments.reproduction.verdict import Claim, Number


def anchor(name: str) -> str:
    """Return a name that can stand behind ``#``; different names stay different."""
    return re.sub(r"[^A-Za-z0-9_-]", lambda match: f".{ord(match[0]):x}.", name)


def claim_anchor(result: Result, place: int) -> str:
    """Return the anchor of a claim, by its place among those of its figure."""
    return f"{anchor(result.figure)}.{result.scale}.claim{place}"


def mark(state: State) -> Markup:
    """Return the symbol of a state, which is always beside its word."""
    return tag("span", WORDS[state].symbol, class_="mark", aria_hidden="true")


def badge(state: State) -> Markup:
    """Return a state as symbol and word."""
    return tag("span", mark(state), WORDS[state].text, class_=f"badge {state}")


def figure_section(figure: Figure) -> Markup:
    """Return the section of a figure: its largest scale, the others folded away behind it."""
    heading = tag(
        "header",
        tag("h3", tag("a", figure.label, href=f"#{anchor(figure.id)}"), " ", tag("span", figure.title)),
        tag("p", badge(figure.state), " ", _labels(figure), tag("a", "scorecard", href="#scorecard", class_="back")),
    )
    if not figure.results:
        return tag("article", heading, _not_made(figure), id=anchor(figure.id))
    first, *others = figure.results
    folded = [
        tag(
            "details",
            tag("summary", "At the scale ", tag("b", result.scale), " ", badge(result.state)),
            *_result(figure, result),
            class_="scale",
        )
        for result in others
    ]
    return tag("article", heading, *_result(figure, first), folded, id=anchor(figure.id))


def _labels(figure: Figure) -> Markup:
    if not figure.results:
        return join()
    result = figure.results[0]
    of_paper = result.scale == "paper"
    scale = "the paper's scale" if of_paper else f"scale {result.scale}"
    stand_in = [tag("span", "stand-in data", class_="label warn"), " "] if result.record.stand_in else None
    return join(tag("span", scale, class_="label" if of_paper else "label warn"), " ", stand_in)


def _not_made(figure: Figure) -> Markup:
    spec = figure.spec
    says = [tag("li", tag("code", claim.id), " ", claim.says) for claim in spec.claims] if spec else []
    printed = [tag("li", one.name, ": ", quantity(one.paper, one.unit)) for one in spec.numbers] if spec else []
    return tag(
        "div",
        tag("p", "Not made yet. The command that makes it:"),
        _command(figure.command),
        join(tag("h4", "What the paper says"), tag("ul", says)) if says else None,
        join(tag("h4", "What the paper prints"), tag("ul", printed)) if printed else None,
        class_="unmade",
    )


def _result(figure: Figure, result: Result) -> list[Markup]:
    record = result.record
    parts = _notices(figure, result)
    parts.append(_picture(figure, result))
    if result.table:
        parts.append(tag("div", _table(result.table), class_="printed"))
    if record.claims:
        parts.append(tag("h4", "Claims"))
        parts += [_claim(claim, claim_anchor(result, place)) for place, claim in enumerate(record.claims, start=1)]
    if record.numbers:
        parts += [tag("h4", "Numbers"), _numbers(record.numbers)]
    if result.readable:
        facts = [join(tag("dt", name), tag("dd", text)) for name, text in record.facts() if text]
        parts.append(tag("h4", "How it was made"))
        parts.append(_command(record.command) if record.command else tag("p", "The command is not recorded."))
        parts.append(tag("dl", facts, class_="facts"))
    else:
        parts.append(tag("h4", "To make it again"))
        parts.append(_command(command_for(figure.id, result.scale)))
    return parts


def _notices(figure: Figure, result: Result) -> list[Markup]:
    record = result.record
    notices = [tag("p", tag("b", "Incomplete. "), problem, class_="notice bad") for problem in result.problems]
    if result.scale != "paper":
        text = "A smaller run by the same method, not what the paper did. At the paper's scale: "
        name = f"Scale {result.scale}. "
        whole = [text, tag("code", figure.command)] if figure.paper else ["On a sample of the data."]
        notices.append(tag("p", tag("b", name), *whole, class_="notice"))
    groups: Sequence[tuple[str, Mapping[str, str]]] = (
        ("Stand-in data", record.stand_in),
        ("Not to be had", record.absent),
        ("Runs missing", record.missing),
        ("Left out", record.left_out),
    )
    for title, reasons in groups:
        notices += [
            tag("p", tag("b", f"{title}. "), tag("code", name), f": {reason}", class_="notice")
            for name, reason in reasons.items()
        ]
    return notices


def _picture(figure: Figure, result: Result) -> Markup:
    place = f"files/{quote(figure.id, safe='')}/{quote(result.scale)}/"
    links = [
        tag("li", tag("a", name, href=place + name), " ", tag("small", _bytes(path.stat().st_size)))
        for name, path in result.files.items()
    ]
    if result.picture is None:
        shown = tag("p", "No picture.", class_="no-picture")
    else:
        png = fitted(result.picture)
        width, height = size(png)
        shown = tag(
            "img",
            src="data:image/png;base64," + base64.b64encode(png).decode("ascii"),
            alt=f"{figure.label}, made again: {figure.title}. Its points are in data.csv, what it shows is told below.",
            width=width,
            height=height,
        )
        shown = tag("a", shown, href=place + "figure.png", class_="picture")
    return tag("figure", shown, tag("figcaption", tag("ul", links)))


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1000))} kB"


def _claim(claim: Claim, place: str) -> Markup:
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in claim.statistic.items()]
    return tag(
        "section",
        tag("p", badge(claim.verdict), " ", tag("code", claim.id), class_="ruling"),
        tag(
            "dl",
            tag("div", tag("dt", "The paper says"), tag("dd", claim.paper_says)),
            tag("div", tag("dt", "Measured"), tag("dd", claim.measured)),
            class_="sides",
        ),
        tag("p", tag("b", "Why: "), claim.why, class_="why") if claim.why else None,
        tag("details", tag("summary", "The numbers behind it"), tag("table", rows, class_="leaves")) if rows else None,
        id=place,
        class_=f"claim {claim.verdict}",
    )


def _numbers(numbers: Sequence[Number]) -> Markup:
    rows = [comparison(number) for number in numbers]
    noted = any(row.note for row in rows)
    names = ["Number", "Paper", "Ours", "Agreement", "Difference", "Allowed", *(["Note"] if noted else [])]
    kinds = [None, "n", "n", None, "n", "n", None]
    cells = [
        tag(
            "tr",
            tag("th", row.name, scope="row"),
            [tag("td", text, class_="n") for text in (row.paper, row.ours)],
            tag("td", tag("span", mark(row.state), row.agrees, class_=f"said {row.state}")),
            [tag("td", text, class_="n") for text in (row.difference, row.tolerance)],
            tag("td", row.note, class_="note") if noted else None,
        )
        for row in rows
    ]
    head = [tag("th", name, scope="col", class_=kind) for name, kind in zip(names, kinds, strict=False)]
    return _wide(tag("table", tag("thead", tag("tr", head)), tag("tbody", cells)), "Numbers of the paper and ours")


def _table(text: str) -> list[Markup]:
    parts = []
    for block in parsed(text):
        if isinstance(block, str):
            parts.append(tag("p", _line(block)))
            continue
        kinds = ["n" if right else None for right in block.right]
        head = [
            tag("th", _line(cell), scope="col", class_=kind) for cell, kind in zip(block.header, kinds, strict=True)
        ]
        rows = [
            tag("tr", [tag("td", _line(cell), class_=kind) for cell, kind in zip(row, kinds, strict=True)])
            for row in block.rows
        ]
        table = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows))
        parts.append(_wide(table, "Table"))
    return parts


def _wide(table: Markup, name: str) -> Markup:
    # on a narrow screen it is scrolled sideways, by keyboard too
    return tag("div", table, class_="wide", role="region", aria_label=name, tabindex=0)


def _line(text: str) -> Markup:
    return join(tag(kind, piece) if kind else piece for kind, piece in spans(text))


def _command(command: str) -> Markup:
    return tag("pre", tag("code", command))
