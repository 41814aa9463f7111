"""Data sets: specifications, fetching with checksums, readers, splits, transforms, synthetic data.

Nothing here knows a solver. Everything that goes wrong is a :class:`DataError` with a message for the user.
"""

from datasets.dataset import Dataset
from datasets.errors import DataError
from datasets.fetch import default_cache_dir
from datasets.loader import fingerprint, load
from datasets.settings import check_used
from datasets.sizes import size_of, training_rows
from datasets.spec import DatasetSpec, named
from datasets.stream import Stream

__all__ = [
    "DataError",
    "Dataset",
    "DatasetSpec",
    "Stream",
    "check_used",
    "default_cache_dir",
    "fingerprint",
    "load",
    "named",
    "size_of",
    "training_rows",
]
