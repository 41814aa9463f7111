"""Tunes the garbage collector of a program, when it is imported; a notebook is left as it is."""

import atexit
import gc

# The imports of a command make a million objects that stay. Searching them for garbage while they are made, and once
# more at the end, took a fifth of a short command's time.
gc.set_threshold(50_000)
atexit.register(gc.freeze)
