"""The arena compares any solvers on any data sets: the cost of each to reach the same targets.

`options` reads the command line, `series` makes the figure's series, `comparison` computes the costs and the profiles,
`figure` combines picture, table and points.
"""
