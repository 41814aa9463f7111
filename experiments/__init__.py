"""Runs, records and figures: everything between a solver and a verdict about a paper."""

import atexit
import gc

# What a command imports are a million objects that stay. Looking through them for garbage, again and again while they
# come and once more at the end, took a fifth of a short command's time.
gc.set_threshold(50_000)
atexit.register(gc.freeze)
