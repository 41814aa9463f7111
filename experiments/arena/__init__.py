"""The arena compares any solvers on any data sets: the cost of each to reach the same targets.

`entrants` and `targets` read the command line, `series` makes the figure's series, `comparison` and `profile` compute
the costs, `figure` combines picture, table and points.
"""
