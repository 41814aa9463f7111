"""Runs, records and figures: everything between a solver and a verdict about a paper."""
