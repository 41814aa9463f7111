"""Writes ``index.html``: a list of the pages of curves in a folder, the newest first."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import quote

from svm_cost_curves.experiments.plotting.interactive import PAGE
from svm_cost_curves.support.files import write_file

INDEX: Final = "index.html"
_HEAD: Final = 4096
"""Bytes of a page that have its title."""
_MARK: Final = "<!-- pages of curves -->"
"""Tells our file from one that someone else has put there."""
_WHOLE: Final = Template(f"""<!doctype html>
<html lang="en">{_MARK}
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>$title</title>
<style>
body {{ max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }}
ul {{ list-style: none; padding: 0; }}
li {{ display: flex; gap: 1rem; align-items: center; padding: .6rem 0; border-bottom: 1px solid #8884; }}
img {{ width: 9rem; height: 6rem; object-fit: contain; background: #fff; flex: none; }}
small {{ display: block; color: GrayText; overflow-wrap: anywhere; }}
</style></head>
<body><h1>$title</h1><ul>
$rows
</ul></body></html>
""")


def write_overview(folder: Path, title: str) -> Path | None:
    """Write the list of the pages of curves in a folder's folders, one or two levels below.

    Parameters
    ----------
    folder : Path
    title : str
        Heading of the list.

    Returns
    -------
    Path or None
        None without pages, or where the folder has an ``index.html`` of something else, which stays.
    """
    path = folder / INDEX
    pages = sorted(_pages(folder), key=lambda page: page.stat().st_mtime, reverse=True)
    if not pages or (path.exists() and _MARK not in _head(path)):
        return None
    rows = "\n".join(_row(page, folder) for page in pages)
    write_file(path, _WHOLE.substitute(title=html.escape(title), rows=rows).encode(), sync=False)
    return path


def _pages(folder: Path) -> Iterator[Path]:
    for pattern in (f"*/{PAGE}", f"*/*/{PAGE}"):
        yield from folder.glob(pattern)


def _row(page: Path, folder: Path) -> str:
    place = page.parent.relative_to(folder)
    link = quote(place.as_posix())
    title = re.search(r"<title>(.*?)</title>", _head(page), re.DOTALL)
    when = datetime.fromtimestamp(page.stat().st_mtime).astimezone().strftime("%Y-%m-%d %H:%M")
    picture = next(iter(sorted([*page.parent.glob("curves*.png"), *page.parent.glob("figure.png")])), None)
    image = f'<img src="{link}/{quote(picture.name)}" alt="" loading="lazy">' if picture else ""
    name, facts = title[1] if title else html.escape(place.name), html.escape(f"{when}; {place}")
    return f'<li>{image}<div><a href="{link}/{PAGE}">{name}</a><small>{facts}</small></div></li>'


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD).decode(errors="replace")
