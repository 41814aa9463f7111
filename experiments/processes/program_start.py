"""What a program does first, by importing this module before any other of the project's.

It tunes the garbage collector, and imports the compiled core: a value of SVM_ISA that the core refuses ends the program
with one sentence and status 2. A notebook that imports the project is left as it is.
"""

import atexit
import gc
import sys

# The imports of a command make a million objects that stay. Searching them for garbage while they are made, and once
# more at the end, took a fifth of a short command's time.
gc.set_threshold(50_000)
atexit.register(gc.freeze)

try:
    import solvers  # noqa: F401
except ImportError as error:
    if "SVM_ISA" not in str(error):
        raise
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)
