"""The rank of a process under ``mpirun``, known before MPI starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

_VARIABLES = (
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),  # MVAPICH
)
"""Environment variables with a process's rank and the number of ranks, by MPI library."""


class Place(NamedTuple):
    """A process's rank, and the number of ranks."""

    rank: int
    ranks: int


def place() -> Place:
    """Return this process's rank from the environment; without ``mpirun``: rank 0 of 1."""
    for rank, ranks in _VARIABLES:
        if rank in os.environ and ranks in os.environ:
            return Place(int(os.environ[rank]), int(os.environ[ranks]))
    return Place(0, 1)


def without_place(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables of ``mpirun``."""
    return {name: value for name, value in environment.items() if not any(name in names for names in _VARIABLES)}
