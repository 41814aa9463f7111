"""Checks of data from files and command lines by pydantic, whose faults are told as sentences."""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Collection
from typing import TYPE_CHECKING, cast

from .errors import reason
from .text import nearest

if TYPE_CHECKING:
    from pydantic import ValidationError


def fault(error: Exception, prefix: str = "") -> str:
    """Return one line on what is wrong with a file, from whatever its readers raised; it does not begin with `prefix`.

    The prefix is the path of a file that the message around it has named already.
    """
    if isinstance(error, OSError):
        return reason(error).removeprefix(prefix)
    if isinstance(error, json.JSONDecodeError | UnicodeError | RecursionError):
        return "its text is not JSON"
    if hasattr(error, "errors") and hasattr(error, "error_count"):  # pydantic's
        return first_fault(cast("ValidationError", error))
    return str(error).partition("\n")[0].removeprefix(prefix) or type(error).__name__


def first_fault(error: ValidationError, names: Collection[str] = (), places: int | None = None) -> str:
    """Return the first fault that pydantic has found as a sentence: the place, of `places` parts or all, and the fault.

    Of `names`, those nearest to an unknown one are named.
    """
    fault = error.errors(include_url=False)[0]
    location = ".".join(map(str, fault["loc"][:places])).rstrip("_")
    if fault["type"] == "unexpected_keyword_argument":
        return f"{location}: there is no such name{nearest(str(fault['loc'][-1]), names)}"
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return f"{location}: field required"
    allowed = re.findall("'([^']*)'", fault["msg"]) if fault["type"] == "literal_error" else ()
    message = f"{fault['msg'][0].lower()}{fault['msg'][1:]}, got {reprlib.repr(fault['input'])}"
    return f"{location or 'the file'}: {message}{nearest(str(fault['input']), allowed)}"
