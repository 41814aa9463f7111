"""Settings, their defaults and their checks, from words to `RunSettings`.

A wrong value raises SettingsError; its message names the setting, or the file, and what is allowed.
"""
