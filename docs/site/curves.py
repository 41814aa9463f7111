"""Adds the interactive pages of published figures, ``curves/<figure>.html``, and the directive ``live-picture``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from svm_cost_curves.experiments.plotting.interactive import PAGE, curves_page
from svm_cost_curves.experiments.processes.streams import ElapsedTime
from svm_cost_curves.experiments.provenance import PROJECT_ROOT, cores
from svm_cost_curves.experiments.reproduction.evidence import from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, EvidenceError, published_figures, read_facts
from svm_cost_curves.experiments.reproduction.report.curves import page_content
from svm_cost_curves.experiments.reproduction.report.figures import published_verdict
from svm_cost_curves.experiments.reproduction.spec import read_figure

FOLDER: Final = "curves"
FIRST: Final = "sbp_fig2"
"""The figure of the live picture, once it is published."""
DIGITS: Final = "digits"
"""The live picture until then: solvers on the bundled digits."""
LOGGER = logging.getLogger(__name__)


def write_pages(app: Sphinx) -> None:
    """Write the page of each published figure; without evidence of `FIRST`, also a page of `DIGITS`."""
    if app.builder.format != "html":
        return
    folder, names = Path(app.outdir) / FOLDER, published_figures(EVIDENCE)
    folder.mkdir(parents=True, exist_ok=True)
    elapsed = ElapsedTime(LOGGER.info)
    with ProcessPoolExecutor(min(2, cores()), get_context("spawn")) as pool:
        faults = pool.map(write_page, names, repeat(folder))
        for number, name in enumerate(names, start=1):
            elapsed.begin(f"pages of curves: {number} of {len(names)}, {name}")
            try:
                fault = next(faults)
            finally:
                elapsed.end()
            if fault:
                LOGGER.warning("%s has no page of curves: %s", name, fault)
    if not (folder / f"{FIRST}.html").exists():
        _make_digits(folder / f"{DIGITS}.html")


def write_page(name: str, folder: Path) -> str:
    """Write the page of a published figure, if it has curves; return what is wrong with its evidence, or nothing."""
    try:
        spec, facts = read_figure(name), read_facts(EVIDENCE, name)
        options = Options(facts["scale"])
        evidence = from_evidence(spec, options, EVIDENCE)
        verdict = published_verdict(EVIDENCE, name)
        picture = PROJECT_ROOT / "docs" / "results" / spec.paper / f"{name}.png"
        png = picture.read_bytes() if picture.exists() else b""
        content = page_content(evidence, options, verdict, [verdict.command], png)
    except EvidenceError as error:
        return str(error)
    if content is not None:
        (folder / f"{name}.html").write_text(curves_page(content), encoding="utf-8")
    return ""


def _make_digits(path: Path) -> None:
    """Run five solvers on the bundled digits, in seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = [
            "figure=arena",
            "dataset=digits",
            "scale=demo",
            f"store={scratch}/results",
            f"figures={scratch}/figures",
        ]
        command = [sys.executable, "reproduce.py", *settings]
        done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
        page = next(Path(scratch).glob(f"figures/*/demo/{PAGE}"), None)
        if done.returncode or page is None:
            LOGGER.warning("there is no live picture: %s", done.stderr[-500:])
            return
        path.write_bytes(page.read_bytes())


class LivePicture(SphinxDirective):
    """Inserts the page of `FIRST`, or of `DIGITS`, as a frame."""

    def run(self) -> list[nodes.Node]:
        """Return the frame, and a link to the page itself."""
        name = FIRST if FIRST in published_figures(EVIDENCE) else DIGITS
        link = f"{'../' * self.env.docname.count('/')}{FOLDER}/{name}.html"
        frame = f'<iframe class="curves" src="{link}" title="Test error against cost" loading="lazy"></iframe>'
        return [nodes.raw("", f'{frame}<p><a href="{link}">The same on a page of its own</a></p>', format="html")]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, and write the pages before the documents are read."""
    app.add_directive("live-picture", LivePicture)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
