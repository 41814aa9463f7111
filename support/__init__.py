"""Files, folders and locks that several processes share. This package imports none of the others."""
