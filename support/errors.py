"""Errors that a command turns into a message; all packages raise them."""

from __future__ import annotations

LARGEST_INTEGER = 2**63 - 1


class UserError(Exception):
    """An error that the user can correct: shown as a sentence, exit status 2."""


class SettingsError(UserError, ValueError):
    """A setting, or a combination of settings, that cannot be run; the message says which, why, and what is allowed."""


class NotFiniteError(ArithmeticError):
    """A run's objective has become infinite or NaN; the message names the measures and the cost."""
