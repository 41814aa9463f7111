"""Processes, signals and streams: what stops a run, what a worker is forked from, what became of a job."""
