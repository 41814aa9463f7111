"""Settings that are one of a few words."""

from collections.abc import Collection

from solvers import SettingsError


def check_choice(name: str, value: str, allowed: Collection[str], also: str = "") -> None:
    """Refuse a word that is not among those allowed; `also` says what else is.

    Raises
    ------
    SettingsError
        With the words that are allowed.
    """
    if value not in allowed:
        known = ", ".join([*allowed, *([also] if also else [])])
        raise SettingsError(f"{name} must be one of {known}; got {value!r}")
