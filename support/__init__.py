"""Files, folders and locks that several processes share. It knows nothing of solvers, data sets and stores."""
