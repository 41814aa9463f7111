"""Files, folders and locks that several processes share; text for messages. This package imports none of the others."""
