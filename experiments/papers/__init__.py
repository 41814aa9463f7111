"""One package per paper, one module per figure or table: how it is drawn, and how its claims are judged.

Each module has a function ``make(evidence) -> Made`` (see `experiments.reproduction.made`).
"""
