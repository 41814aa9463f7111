"""SVM cost curves: solvers that count their costs, data sets, and the experiments of five papers."""
