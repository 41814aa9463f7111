"""The one exception of this package."""

from __future__ import annotations


class DataError(ValueError):
    """A problem with data, files, labels or a data set's specification.

    The message is a complete sentence for the user: what was wrong, where, and what is allowed.
    """
