"""What of the paper is lost."""

from __future__ import annotations

from typing import Final

LOST: Final = (
    "Nothing is compared with printed values: our copy of the paper lacks its tables and the values in its figures."
)
"""Told below each table."""
