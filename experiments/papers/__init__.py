"""One package per paper, one module per figure or table: its drawing, its table and the judgement of its claims.

Each module has a function ``make(evidence) -> FigureResult``. Before it are the measurements, the claims and the
drawing, after it the data and the table. Shared modules: `cases` (claims judged case by case), `bands` and `effort`
(statistics over runs), `optimum`, `printed` and `dataset_table` (printed numbers), `problem` (data and solvers),
`panels`, `curves` and `layout` (drawing).
"""
