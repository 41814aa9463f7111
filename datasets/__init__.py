"""Data sets: specifications, fetching with checksums, readers, splits, transforms, synthetic data.

This package does not import solvers. Its errors are `DataError`, with a message for the user.
"""

from datasets.dataset import Dataset, Stream
from datasets.errors import DataError
from datasets.identity import stated_fingerprint
from datasets.loader import fingerprint, load
from datasets.settings import check_used
from datasets.sizes import size_of, training_rows
from datasets.spec import DatasetSpec, named
from support.disk_cache import default_cache_dir

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
    "stated_fingerprint",
    "training_rows",
]
