"""What the user asks for: settings, their defaults and their checks, from words to `RunSettings`."""
