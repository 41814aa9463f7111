"""The command line of `run.py`: help, one job, the end of a sweep."""
