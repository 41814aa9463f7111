"""A paper's scorecard as a page of Markdown with its pictures, to be kept in the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from experiments.reproduction.citations import paper_named
from experiments.reproduction.report.collect import Collection, Figure, Result, collect
from experiments.reproduction.report.pictures import fitted
from experiments.reproduction.report.words import (
    NOTHING,
    WORDS,
    State,
    agreement,
    command_for,
    comparison,
    quantity,
)
from experiments.reproduction.report.writing import replaced
from experiments.reproduction.spec import FIGURES
from experiments.reproduction.verdict import Claim, Number


def write_markdown(figures: Path, target: Path, paper: str, *, specs: Path = FIGURES) -> Path:
    """Write a paper's scorecard.

    Parameters
    ----------
    figures : Path
        As reproduce.py leaves it.
    target : Path
        Folder that gets ``<paper>.md`` and the pictures in ``<paper>/``, each smaller than `pictures.LIMIT`.
    paper : str
        Key of the paper.
    specs : Path
        Folder of the figures' descriptions; those that were not made are listed too.

    Returns
    -------
    Path
        ``<paper>.md``.

    Raises
    ------
    ValueError
        There is no figure of this paper, made or to be made.
    FileExistsError
        `target` has a folder of the paper's name with other files than pictures.
    """
    collection = collect(figures, specs)
    chosen = collection.papers().get(paper, [])
    if not chosen:
        known = ", ".join(collection.papers()) or "none"
        raise ValueError(f"no figure of the paper {paper!r}; papers with figures: {known}")
    page = f"{paper}.md"
    with replaced(target, page, paper, ("*.png",)) as draft:
        (draft / paper).mkdir()
        for figure in chosen:
            if figure.results and figure.results[0].picture is not None:
                (draft / paper / f"{figure.id}.png").write_bytes(fitted(figure.results[0].picture))
        (draft / page).write_text(_document(collection, paper, chosen), encoding="utf-8")
    return target / page


_SPECIAL = re.compile(
    r"[`*|~$]"
    r"|\](?=\()"  # of a link
    r"|<(?=[A-Za-z/!?])"  # of a tag
    r"|&(?=#?\w+;)"  # of an entity
    r"|\\(?=[!-/:-@\[-`{-~]|$)"  # that escapes, or breaks the line
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # within a word it is none
)


def escaped(text: str) -> str:
    """Text in which no character means anything to Markdown, on one line; not for the beginning of a line."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _document(collection: Collection, paper: str, figures: Sequence[Figure]) -> str:
    cited = paper_named(paper)
    parts = [f"# {escaped(cited.title)}: scorecard"]
    source = f"{escaped(cited.source)}. " if cited.source else ""
    command = f"python reproduce.py figure={paper} scale=paper"
    parts.append(f"{source}What the paper says and prints, beside what was measured here. All of it: {_code(command)}.")
    parts += [f"**Incomplete.** {escaped(problem)}" for problem in collection.problems]
    parts.append(_scorecard(figures))
    shared = _shared(figures)
    for figure in figures:
        parts += _section(figure, paper, shared)
    if facts := list(_facts(shared)):
        parts += ["## All figures", *facts]
    return "\n\n".join(parts) + "\n"


def _scorecard(figures: Sequence[Figure]) -> str:
    rows = []
    for figure in figures:
        claims: list[tuple[str, State]] = []
        numbers = scale = ""
        if figure.results:
            result = figure.results[0]
            claims = [(claim.id, claim.verdict) for claim in result.record.claims]
            numbers = agreement(result.record.numbers)
            scale = result.scale + (", stand-in data" if result.record.stand_in else "")
        elif figure.spec is not None:
            claims = [(claim.id, "not_made") for claim in figure.spec.claims]
        rows.append(
            (
                f"[{escaped(figure.label)}](#{_anchor(_heading(figure))})",
                escaped(figure.title),
                _state(figure.state),
                "<br>".join(f"{_state(state)}: {escaped(name)}" for name, state in claims),
                numbers,
                scale,
            )
        )
    return _table(("figure", "shows", "verdict", "claims", "numbers", "scale"), rows)


def _section(figure: Figure, paper: str, shared: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield f"## {escaped(_heading(figure))}"
    if not figure.results:
        yield f"{_state(figure.state)}. The command that makes it:"
        yield _block(figure.command)
        if figure.spec is not None and figure.spec.claims:
            yield "\n".join(f"- **{escaped(claim.id)}**: {escaped(claim.says)}" for claim in figure.spec.claims)
        if figure.spec is not None and figure.spec.numbers:
            rows = [(escaped(one.name), quantity(one.paper, escaped(one.unit))) for one in figure.spec.numbers]
            yield _table(("number", "paper"), rows, right=(1,))
        return
    result, *others = figure.results
    verdict = f"Verdict: **{_state(result.state)}**, at the scale {_code(result.scale)}"
    smaller = [f"{_state(other.state)} at {_code(other.scale)}" for other in others]
    yield verdict + (f" (also made: {', '.join(smaller)})." if smaller else ".")
    yield from _notices(figure, result)
    if result.picture is not None:
        alt = escaped(f"{figure.label}, made again: {figure.title}")
        yield f"![{alt}]({quote(paper)}/{quote(figure.id)}.png)"
    if result.table:
        yield _demoted(result.table)
    if result.record.claims:
        yield "\n".join(line for claim in result.record.claims for line in _claim(claim))
    if result.record.numbers:
        yield _numbers(result.record.numbers)
    yield from _circumstances(figure, result, shared)


def _notices(figure: Figure, result: Result) -> Iterator[str]:
    record = result.record
    lines = [f"**Incomplete.** {escaped(problem)}" for problem in result.problems]
    if result.scale != "paper":
        lines.append(
            f"**Scale {result.scale}.** A smaller run by the same method, not what the paper did. "
            f"At the paper's scale: {_code(figure.command)}."
        )
    for title, reasons in (
        ("Stand-in data", record.stand_in),
        ("Not to be had", record.absent),
        ("Runs missing", record.missing),
    ):
        lines += [f"**{title}.** {_code(name)}: {escaped(reason)}" for name, reason in reasons.items()]
    if lines:
        yield "\n".join(f"- {line}" for line in lines)


def _claim(claim: Claim) -> Iterator[str]:
    yield f"- **{escaped(claim.id)}: {_state(claim.verdict)}.** The paper says: {escaped(claim.paper_says)}"
    yield f"  - Measured: {escaped(claim.measured)}"
    if claim.why:
        yield f"  - Why: {escaped(claim.why)}"


def _numbers(numbers: Sequence[Number]) -> str:
    rows = []
    noted = any(number.note for number in numbers)
    for number in numbers:
        row = comparison(number)
        said = f"{WORDS[row.state].symbol} {row.agrees}"
        texts = (row.name, row.paper, row.ours, said, row.difference, row.tolerance, *([row.note] if noted else []))
        rows.append(tuple(map(escaped, texts)))
    names = ("number", "paper", "ours", "agreement", "difference", "allowed", *(["note"] if noted else []))
    return _table(names, rows, right=(1, 2, 4, 5))


def _circumstances(figure: Figure, result: Result, shared: Sequence[tuple[str, str]]) -> Iterator[str]:
    record = result.record
    yield "Made by" if result.readable and record.command else "To make it again:"
    yield _block(record.command or command_for(figure.id, result.scale))
    own = [fact for fact in record.facts() if fact not in shared] if result.readable else []
    yield from _facts(own)


def _shared(figures: Sequence[Figure]) -> list[tuple[str, str]]:
    """Machine and versions, as far as they are the same for all figures and can be told once."""
    made = [figure.results[0].record for figure in figures if figure.results and figure.results[0].readable]
    facts = [fact for fact in made[0].facts() if fact[0] in ("Machine", "Versions")] if len(made) > 1 else []
    return [fact for fact in facts if all(fact in record.facts() for record in made)]


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    known = [f"- {name}: {escaped(text)}" for name, text in facts if text]
    if known:
        yield "\n".join(known)


def _state(state: State) -> str:
    word = WORDS[state]
    return f"{word.symbol} {word.text}"


def _heading(figure: Figure) -> str:
    return f"{figure.label}: {figure.title}" if figure.title else figure.label


def _anchor(heading: str) -> str:
    """Return the anchor that the usual renderers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _demoted(text: str) -> str:
    """Return a page to be put below a heading: its own headings become bold lines."""
    return re.sub(r"^#{1,6}\s+(.*?)\s*$", r"**\1**", text.strip(), flags=re.MULTILINE)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    rule = ["---:" if place in right else "---" for place in range(len(names))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (names, rule, *rows))


def _code(text: str) -> str:
    flat = " ".join(text.split()) or NOTHING
    ticks = "`" * (_longest(flat) + 1)
    space = " " if "`" in flat[:1] + flat[-1:] else ""
    return ticks + space + flat + space + ticks


def _block(text: str) -> str:
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}sh\n{text.strip()}\n{fence}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
