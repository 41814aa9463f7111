"""The arena: any solvers on any data sets on equal terms; what each has to spend to get equally far.

`entrants` and `targets` read the command line, `entry` makes the figure's series of them, `race` and `profile` find
what was spent, `figure` puts picture, table and points together.
"""
