"""Run a command of uv and say every few seconds how far it is: ``install.py LABEL COMMAND...``.

uv tells nothing of a compiler that it has started but in its log. Of that, what does not come from the log's own levels
is shown if the command fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

PAUSE = 5.0
"""Seconds between two lines."""
COMPILED = re.compile(r"^DEBUG \[(\d+)/(\d+)\] (?:Building|Linking)")
"""What ninja says, as uv logs it."""
LOG = re.compile(r"^ *(?:TRACE|DEBUG|INFO) ")


def main(words: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    label, *command = words
    process = subprocess.Popen([*command, "--verbose"], stderr=subprocess.PIPE, text=True, errors="replace")
    assert process.stderr is not None
    state = {"text": ""}
    over = threading.Event()
    threading.Thread(target=tell, args=(label, state, over), daemon=True).start()
    log = []
    for line in process.stderr:
        log.append(line)
        if match := COMPILED.match(line):
            state["text"] = f", {match[1]} of {match[2]} files"
    status = process.wait()
    over.set()
    if status:
        backend = [line.removeprefix("DEBUG ") for line in log if re.search(r"error:|FAILED", line)]
        sys.stderr.writelines([*backend, *(line for line in log if not LOG.match(line))])
    return status


def tell(label: str, state: dict[str, str], over: threading.Event) -> None:
    """Write how far the command is, until it is over."""
    begun = time.monotonic()
    print(label, flush=True)
    while not over.wait(PAUSE):
        print(f"{label}{state['text']}, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
