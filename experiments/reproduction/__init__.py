"""Reproduces figures: plans and makes the missing runs, draws the figure, judges the paper's claims.

``reproduce.py`` is the command line. A figure's file, beside the code of its paper, describes it (`spec`). `plan` finds
its runs in the store, `execute` makes those that are missing. A module of `experiments.papers` draws the figure and
judges its claims (`verdict`) from the runs (`evidence`); `build` and `output` write the result.
"""
