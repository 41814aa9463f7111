"""The Markdown of a ``table.md``: tables, paragraphs and headings; what else there may be is shown as text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_NUMBER = re.compile(
    r"[<>=~±+\-\u2212\u2248\u2264\u2265]*\s*\d[\d.,]*"  # sign, digits
    r"(\s*[x\u00d7]?\s*10[\^⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻+\-\d]+|e[+-]?\d+)?"  # power of ten
    r"\s*(%|[a-zµ]{1,3})?"  # unit
    r"(\s*(±|to|\.\.|\u2013)\s*[+\-\u2212]?\d[\d.,]*\s*%?)?"  # spread
)
_EMPTY = {"", "-", "\N{EN DASH}", "\N{EM DASH}"}


@dataclass(frozen=True)
class Grid:
    """A table; `right` says which columns stand to the right, as numbers do."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]


def parsed(text: str) -> Iterator[Grid | str]:
    """Tables and paragraphs of a page, in order; headings count as paragraphs."""
    lines = [line.strip() for line in text.splitlines()]
    paragraph: list[str] = []
    position = 0
    while position < len(lines):
        line, following = lines[position], lines[position + 1 : position + 2]
        if "|" in line and following and _RULE.fullmatch(following[0]):
            end = position + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            if paragraph:
                yield " ".join(paragraph)
                paragraph = []
            yield _grid(line, following[0], lines[position + 2 : end])
            position = end
            continue
        heading = re.match(r"#{1,6}\s+|[-*]\s+", line)
        if paragraph and (not line or heading):
            yield " ".join(paragraph)
            paragraph = []
        if line:
            paragraph.append(line[heading.end() :] if heading else line)
        position += 1
    if paragraph:
        yield " ".join(paragraph)


def _grid(header: str, rule: str, body: list[str]) -> Grid:
    names = _cells(header)
    width = len(names)
    rows = tuple((*_cells(line), *[""] * width)[:width] for line in body)
    marks = (*_cells(rule), *[""] * width)[:width]
    right = tuple(
        (mark.endswith(":") and not mark.startswith(":")) or _numeric([plain(row[column]) for row in rows])
        for column, mark in enumerate(marks)
    )
    return Grid(names, rows, right)


def _cells(line: str) -> tuple[str, ...]:
    inner = re.sub(r"^\||(?<!\\)\|$", "", line.strip())
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", inner))


def _numeric(cells: list[str]) -> bool:
    known = [cell for cell in cells if cell not in _EMPTY]
    return bool(known) and all(_NUMBER.fullmatch(cell) for cell in known)


_SPAN = re.compile(r"\\.|(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*(?P<bold>.+?)\*\*")


def spans(text: str) -> Iterator[tuple[str, str]]:
    """Pieces of a line, each as (``code``, ``b`` or empty, text)."""
    pending = ""
    end = 0
    for match in _SPAN.finditer(text):
        pending += text[end : match.start()]
        end = match.end()
        if match["code"] is None and match["bold"] is None:
            pending += match[0]
            continue
        yield "", plain(pending)
        pending = ""
        yield ("code", match["code"].replace("\\|", "|").strip()) if match["code"] else ("b", plain(match["bold"]))
    yield "", plain(pending + text[end:])


def plain(text: str) -> str:
    """Text without the backslashes and names that Markdown needs for single characters."""
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))
