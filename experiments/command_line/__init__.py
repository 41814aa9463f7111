"""What `run.py` does around runs: help, one job, the end of a sweep."""
