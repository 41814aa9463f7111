"""Errors of settings, which all packages raise."""

from __future__ import annotations

LARGEST_INTEGER = 2**63 - 1


class SettingsError(ValueError):
    """A setting, or a combination of settings, that cannot be run; the message says which, why, and what is allowed."""
