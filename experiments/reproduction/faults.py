"""Faults that pydantic finds, in a sentence."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection

from pydantic import ValidationError

from svm_cost_curves.support.text import nearest


def first_fault(error: ValidationError, known: Collection[str] = (), places: int | None = None) -> str:
    """Return the first fault that pydantic has found as a sentence: the place, and the fault.

    Parameters
    ----------
    error : ValidationError
    known : collection of str
        Allowed names; the nearest to an unknown one are named.
    places : int, optional
        Parts of the place that are shown; by default all.
    """
    fault = error.errors(include_url=False)[0]
    place = ".".join(map(str, fault["loc"][:places])).rstrip("_")
    if fault["type"] == "unexpected_keyword_argument":
        return f"{place}: there is no such name{nearest(str(fault['loc'][-1]), known)}"
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    allowed = re.findall("'([^']*)'", fault["msg"]) if fault["type"] == "literal_error" else ()
    message = f"{fault['msg'][0].lower()}{fault['msg'][1:]}, got {reprlib.repr(fault['input'])}"
    return f"{place or 'the file'}: {message}{nearest(str(fault['input']), allowed)}"
