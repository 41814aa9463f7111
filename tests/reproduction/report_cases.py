"""Builds a folder of figures to report on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image, ImageDraw

from svm_cost_curves.experiments.reproduction import spec

HOSTILE = """<script>alert("1")</script> & 'a' | b <img src=x onerror="x"> `c` *d* _e_ [f](g) </style>"""


def png(width: int = 40, height: int = 30, *, noise: bool = False) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    if noise:
        generator = np.random.default_rng(0)
        image = Image.fromarray(generator.integers(0, 256, (height, width, 3), dtype=np.uint8))
    else:
        ImageDraw.Draw(image).line([(0, 0), (width, height)], fill="red", width=3)
    stream = BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


def claim_json(outcome: str = "reproduced", text: str = "", **changes: Any) -> dict[str, Any]:
    """Return a claim with one reading; `text` replaces every text in it."""
    words = dict.fromkeys(("id", "says", "quote", "section"), text)
    reading = words | {
        "outcome": outcome,
        "rulings": [
            {
                "dataset": "adult",
                "ruling": "fails" if text else "holds",
                "measured": text or "by 0.2 points",
                "note": text,
                "statistic": {"low": -0.0241},
                "name": name,
                "about": text or "Adult",
            }
            for name in ("a", "b")
        ],
        "summary": text or "It does, by 0.2 points.",
        "more_runs": None,
        "data": ["paper"],
        "likely": bool(text),
        "type": "empirical",
    }
    content = {
        "id": text or "sbp.1",
        "paper_says": text or "The curve lies below.",
        "quote": text or "outperforms",
        "section": text or "5",
        "rule": text or "The interval excludes zero.",
        "readings": [reading],
        "sensitivity": [],
        "lacking": [],
    }
    return content | changes


def verdict(**changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = {
        "figure": "sbp_fig2",
        "scale": "paper",
        "stand_in": {},
        "commit": "3f2a9c1d",
        "dirty": False,
        "command": "python3 reproduce.py figure=sbp_fig2 scale=paper",
        "claims": [
            claim_json(),
        ],
        "numbers": [
            {
                "name": "error",
                "paper": 14.9,
                "measured": 14.88,
                "unit": "%",
                "runs": 3,
                "low": 14.8,
                "high": 15,
                "limit": 0.5,
                "outcome": "agrees",
            }
        ],
    }
    return content | changes


def hostile_verdict() -> dict[str, Any]:
    """Return a verdict whose texts are all hostile."""
    claim = claim_json("mixed", HOSTILE)
    claim["readings"] *= 2
    claim["sensitivity"] = [{"constant": HOSTILE, "value": 1.0, "half": HOSTILE, "double": HOSTILE}]
    claim["lacking"] = [HOSTILE]
    numbers = [{"name": HOSTILE, "paper": 1, "measured": 2, "unit": HOSTILE, "low": 0.5, "high": 1, "note": HOSTILE}]
    reasons = {HOSTILE: HOSTILE}
    content = verdict(claims=[claim], numbers=numbers, stand_in=reasons, absent=reasons, missing=reasons)
    content |= dict.fromkeys(("paper", "command", "commit", "label", "title", "made"), HOSTILE)
    content |= {key: [HOSTILE] for key in ("run_commits", "data_sets")}
    return content | {"machine": {"cpu": HOSTILE}, "versions": reasons}


HOSTILE_TABLE = {"columns": [HOSTILE, "b"], "rows": [[HOSTILE, {"bold": HOSTILE}]], "notes": [HOSTILE, f"- {HOSTILE}"]}


def put(figures: Path, figure: str, scale: str, content: Any, *, table: Any = None) -> Path:
    folder = figures / figure / scale
    folder.mkdir(parents=True)
    (folder / "verdict.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "figure.png").write_bytes(png())
    (folder / "figure.pdf").write_bytes(b"%PDF-1.7")
    (folder / "data.csv").write_text("panel,x,mean\n0,1,2\n", encoding="utf-8")
    if table:
        (folder / "table.md").write_text("| a |\n| --- |\n", encoding="utf-8")
        (folder / "table.json").write_text(json.dumps(table), encoding="utf-8")
    return folder


def some_figures(place: Path) -> Path:
    for scale in ("demo", "paper", "quick"):
        put(place, "sbp_fig2", scale, verdict(scale=scale, command=f"make {scale}"))
    put(
        place,
        "sbp_table2",
        "quick",
        verdict(claims=[]),
        table={"columns": ["a", "b"], "rows": [["x | y", {"bold": "1.5"}]], "notes": ["A note."]},
    )
    put(place, "other_fig1", "demo", verdict(paper="other", label="Figure 1", title="Unknown", numbers=[]))
    return place


@contextmanager
def described_by(folder: Path) -> Iterator[Path]:
    """Make the files of a folder the descriptions of all figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spec, "FIGURES", folder)
        patch.setattr(spec, "PAPERS", folder / "papers")
        spec.catalogue.cache_clear()
        yield folder
    spec.catalogue.cache_clear()


def some_specs(place: Path) -> Path:
    place.mkdir()
    for figure, label in (("sbp_fig2", "Figure 2"), ("sbp_table2", "Table 2"), ("sbp_fig9", "Figure 9")):
        content = {
            "id": figure,
            "paper": "sbp",
            "label": label,
            "title": f"Title of {figure}",
            "claims": [{"id": "sbp.9", "says": "Something is so."}],
            "numbers": [{"name": "printed", "paper": 6.34e-4}],
        }
        (place / f"{figure}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return place


def report_text(index: Path) -> str:
    """Return the text of all pages of a report, without the signs that escape others."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(index.parent.glob("*.md"))).replace("\\", "")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
