"""Data sets: specifications, fetching with checksums, readers, splits, transforms, synthetic data.

This package does not import solvers. Its errors are `DataError`, with a message for the user.
"""

from datasets.dataset import Dataset, Stream
from datasets.errors import DataError
from datasets.identity import stated_fingerprint
from datasets.loader import fingerprint, load
from datasets.settings import spec_of
from datasets.sizes import size_of, training_rows
from datasets.spec import (
    DatasetConfig,
    DatasetSpec,
    ElasticData,
    FileData,
    OpenmlData,
    PublishedData,
    SklearnData,
    SyntheticData,
)
from support.disk_cache import default_cache_dir

__all__ = [
    "DataError",
    "Dataset",
    "DatasetConfig",
    "DatasetSpec",
    "ElasticData",
    "FileData",
    "OpenmlData",
    "PublishedData",
    "SklearnData",
    "Stream",
    "SyntheticData",
    "default_cache_dir",
    "fingerprint",
    "load",
    "size_of",
    "spec_of",
    "stated_fingerprint",
    "training_rows",
]
