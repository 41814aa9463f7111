"""From a paper's figure to a verdict: what it needs, which runs are missing, what they show, whether the claim holds.

``reproduce.py`` is the command line. A figure is described by one file of ``conf/figure/`` (`spec`) and made by one
module of `experiments.papers` from the runs in the store (`evidence`), which draws it and judges the paper's claims
(`verdict`).
"""
