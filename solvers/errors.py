"""What goes wrong with settings."""

from solvers import _core


class SettingsError(ValueError):
    """A setting, or a combination of settings, that cannot be run; the message says which, why, and what is allowed."""


CoreError = _core.InvalidArgument
"""What the compiled core throws for the same reasons."""
