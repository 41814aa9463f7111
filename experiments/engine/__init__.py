"""Engines: how many processes make a run. `engine=local` is one; `engine=mpi` those that ``mpirun`` starts.

Nothing here imports mpi4py but `experiments.engine.mpi`, which is imported when a run with `engine=mpi` begins.
"""
