"""Processes, signals and streams: stop requests, workers, and the outcomes of jobs."""
