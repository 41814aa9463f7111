"""Pictures for a paper: their size, their fonts, their panels and their caption."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter
from PIL import Image

from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.choices import PaperStyle, latex
from svm_cost_curves.experiments.plotting import STYLES, own_settings, paper, pgf
from svm_cost_curves.experiments.plotting.styles import PAPER
from svm_cost_curves.solvers import SettingsError

NAMES = ("Adult", "MNIST, 8 against the rest", "Web")


def drawn(panels: int = 3, entries: int = 6) -> Figure:
    """A figure as it is on the screen: a caption above a row of panels, each with a name and a note."""
    with own_settings(PAPER):
        figure = Figure(figsize=(12, 4))
        FigureCanvasAgg(figure)
        figure.text(0.05, 0.97, "Means over ten runs", size=9)
        above = {"xycoords": "axes fraction", "textcoords": "offset points"}
        for k in range(panels):
            axes = figure.add_axes((0.05 + k / (panels + 0.3), 0.15, 0.8 / (panels + 0.3), 0.65))
            axes.set_position(axes.get_position())  # as names beside a panel do
            axes.plot([1, 10, 100], [0.3, 0.2, 0.15], **STYLES["sbp"].look)
            axes.set_xscale("log")
            axes.set_xlabel("CPU seconds in the solver", size=10)
            if k == 0:
                axes.set_ylabel("Test error", size=10)
            axes.annotate(NAMES[k], (0, 1), (0, 20), size=11, label=paper.NAME, **above)
            axes.annotate(f"n = {k + 1},000", (0, 1), (0, 7), size=8.5, label=paper.NOTE, **above)
        handles = [Line2D([], [], linewidth=2.0) for _ in range(entries)]
        names = [f"method {k}" for k in range(entries - 1)] + ["Perceptron (dashed after its first epoch)"]
        figure.legend(handles, names, ncols=entries)
    return figure


def test_the_caption_has_the_texts_from_top_to_bottom_with_the_panels_letters() -> None:
    figure = drawn()
    assert paper.fit(figure, 6.75) == [
        "Means over ten runs",
        "(a) Adult: n = 1,000",
        "(b) MNIST, 8 against the rest: n = 2,000",
        "(c) Web: n = 3,000",
        "Perceptron: dashed after its first epoch",
    ]
    assert figure.texts == []
    left = [axes.get_title(loc="left") for axes in figure.axes]
    assert [" ".join(text.split()) for text in left] == [f"({'abc'[k]}) {NAMES[k]}" for k in range(3)]


@pytest.mark.parametrize(("width", "columns"), [(6.75, 3), (3.25, 2), (1.6, 1)])
def test_rows_are_wrapped_at_the_width_and_each_line_has_the_label(width: float, columns: int) -> None:
    figure = drawn()
    paper.fit(figure, width)
    assert figure.get_figwidth() == width
    for k, axes in enumerate(figure.axes):
        place = axes.get_subplotspec()
        assert (place.rowspan.start, place.colspan.start) == divmod(k, columns)
        assert axes.get_ylabel() == ("Test error" if k % columns == 0 else "")


def test_a_single_panel_has_no_letter_and_a_title_of_the_axes_is_the_panels_name() -> None:
    figure = drawn(panels=1)
    assert "Adult: n = 1,000" in paper.fit(figure, 3.25)
    assert figure.axes[0].get_title(loc="left") == "Adult"
    figure = drawn(panels=2)
    for text in figure.axes[0].texts[:]:
        text.remove()
    figure.axes[0].set_title("Basin", loc="left")
    assert "(a) Basin" in paper.fit(figure, 6.75)
    assert figure.axes[0].get_title(loc="left") == "(a) Basin"


def test_rows_keep_the_ratio_of_their_heights() -> None:
    with own_settings(PAPER):
        figure = Figure(figsize=(6, 6))
        FigureCanvasAgg(figure)
        for bottom, height in ((0.5, 0.4), (0.1, 0.1)):
            figure.add_axes((0.1, bottom, 0.8, height)).plot([1, 2])
    paper.fit(figure, 3.25)
    figure.canvas.draw()
    upper, lower = (axes.get_position().height for axes in figure.axes)
    assert 2 < upper / lower < 6


@settings(max_examples=20)
@given(st.lists(st.sampled_from([r"$\alpha_1 = \alpha_2$", "the value", "of", "here"]), min_size=1, max_size=9))
def test_labels_are_wrapped_between_words_but_not_within_formulas(words: list[str]) -> None:
    with own_settings(PAPER):
        figure = Figure()
        axes = figure.add_subplot()
        axes.set_xlabel(" ".join(words))
        paper.fit(figure, 1.6)
    lines = axes.get_xlabel().split("\n")
    assert " ".join(lines) == " ".join(words)
    assert all(line.count("$") % 2 == 0 for line in lines)


def test_all_text_has_one_size_and_lines_are_thinner() -> None:
    figure = drawn()
    paper.fit(figure, 3.25)
    sizes = {text.get_size() for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()}
    assert sizes == {paper.TEXT}
    with own_settings():
        assert figure.axes[0].lines[0].get_linewidth() < 0.7 * STYLES["sbp"].look["linewidth"]


def test_a_legend_of_many_curves_is_small_and_says_their_setting_once() -> None:
    with own_settings(PAPER):
        figure = Figure(figsize=(9, 5))
        FigureCanvasAgg(figure)
        figure.add_axes((0.1, 0.1, 0.8, 0.7)).plot([1, 10, 100], [0.3, 0.2, 0.15])
        names = [f"{algo} lambda={k * 1.11:.2e}" for algo in ("SBP", "Pegasos") for k in range(1, 8)]
        figure.legend([Line2D([], []) for _ in names], names)
        paper.fit(figure, 3.25)
        figure.canvas.draw()
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "lambda"
    assert [text.get_text() for text in legend.get_texts()] == [name.replace("lambda=", "") for name in names]
    assert {text.get_size() for text in legend.get_texts()} == {paper.SMALL}
    extent = legend.get_window_extent()
    assert extent.width <= figure.bbox.width
    assert extent.height <= 0.25 * figure.bbox.height
    assert extent.y0 >= figure.axes[0].get_window_extent().y1


def test_nothing_lies_outside_the_picture_or_on_a_neighbour() -> None:
    figure = drawn()
    paper.fit(figure, 3.25)
    figure.canvas.draw()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    boxes.append(figure.legends[0].get_window_extent())
    known = [box for box in boxes if box is not None]
    assert all(box.x0 >= -1 and box.x1 <= figure.bbox.width + 1 and box.y1 <= figure.bbox.height + 1 for box in known)
    overlaps = [
        (a, b)
        for k, a in enumerate(known)
        for b in known[k + 1 :]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    assert overlaps == []


def test_files_have_their_size_their_fonts_and_the_caption_and_are_the_same_again(tmp_path: Path) -> None:
    for name in ("again", "v1.5"):
        figure = drawn(panels=2, entries=2)
        caption = paper.fit(figure, 3.25)
        paths = paper.save(figure, tmp_path / name, ("pdf", "svg", "png"), "Figure 2", caption)
    again = [tmp_path / f"again{path.suffix}" for path in paths]
    assert [path.name for path in paths] == ["v1.5.pdf", "v1.5.svg", "v1.5.png", "v1.5.txt"]
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    assert paths[-1].read_text(encoding="utf-8").splitlines() == ["Figure 2", *caption]
    with Image.open(paths[2]) as picture:
        assert picture.width == 975  # 3.25 inches of 300 pixels
        assert picture.info["Title"] == "Figure 2"
        assert "Means over ten runs" in picture.info["Description"]
    pdf = paths[0].read_bytes()
    streams = [
        zlib.decompress(data) for data in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL) if data[:1] == b"x"
    ]
    whole = b"".join([pdf, *streams])
    assert b"/Type0" in whole  # how Type 42 fonts are embedded
    assert b"/Type3" not in whole
    assert re.search(rb"/MediaBox \[\s*0 0 234 ", pdf)  # points
    assert b"(Figure 2)" in pdf
    svg = paths[1].read_text(encoding="utf-8")
    assert "<dc:title>Figure 2</dc:title>" in svg
    assert "Means over ten runs" in svg


def test_texts_for_latex_print_the_characters_that_are_commands_and_keep_formulas() -> None:
    assert pgf.in_latex("rcv1_ccat & 5 $, a < b, 10⁻³, λ", formulas=False) == (
        r"rcv1\_ccat \& 5 \$, a \textless{} b, 10\textsuperscript{\ensuremath{-}}\textsuperscript{3}, "
        r"\ensuremath{\lambda}"
    )
    assert pgf.in_latex(r"d_1: $\alpha_1 < 2$ & more", formulas=True) == r"d\_1: $\alpha_1 < 2$ \& more"
    assert pgf.in_latex(r"$\mathdefault{10^{3}}$", formulas=True) == "${10^{3}}$"
    assert pgf.in_latex("5 $", formulas=True) == r"5 \$"


def test_the_ticks_of_a_figure_are_written_for_latex_once() -> None:
    figure = Figure()
    first, second = figure.subplots(1, 2, sharey=True)
    for axes in (first, second):
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} &"))
    figure.text(0, 0, "a_b", parse_math=False)
    pgf.prepare(figure)
    assert first.yaxis.get_major_formatter()(1) == r"1 \&"
    assert figure.texts[0].get_text() == r"a\_b"


@pytest.mark.skipif(latex() is None, reason="LaTeX is not installed")
def test_pgf_is_measured_by_latex_after_the_other_formats(tmp_path: Path) -> None:
    figure = drawn(panels=1, entries=2)
    figure.axes[0].set_xlabel("10⁶ & more", parse_math=False)
    caption = paper.fit(figure, 3.25)
    paper.save(figure, tmp_path / "paper", ("pgf", "svg"), "Figure 2", caption)
    assert r"10\textsuperscript{6} \& more" in (tmp_path / "paper.pgf").read_text(encoding="utf-8")
    assert "textsuperscript" not in (tmp_path / "paper.svg").read_text(encoding="utf-8")
    figure.axes[0].set_xlabel("\N{SNOWMAN}", parse_math=False)
    with pytest.raises(SettingsError, match=r"format=pgf: LaTeX cannot measure the text of paper\.pgf"):
        paper.save(figure, tmp_path / "paper", ("pgf",), "Figure 2", caption)


def test_a_style_has_each_format_once_and_needs_its_name() -> None:
    given = {"style": "paper", "format": "svg,pdf,svg", "width": "3.25", "seed": "1"}
    assert choices.style_of(given) == PaperStyle(3.25, ("svg", "pdf"))
    assert choices.style_of({"style": None, "width": None, "format": None}) is None
