"""Data sets: specifications, fetching with checksums, readers, splits, transforms, synthetic data.

This package does not import solvers. Its functions raise `DataError` for a wrong specification, a file that is missing,
damaged or malformed, and data that do not fit in memory; the message is a sentence for the user.
"""

if __name__ != "svm_cost_curves.datasets":
    raise ImportError("write svm_cost_curves.datasets for datasets: the folders of this checkout are one package")

from ..support.disk_cache import default_cache_dir
from .errors import DataError
from .loader import fingerprint, load, stated_fingerprint
from .settings import spec_of
from .sizes import size_of, training_rows
from .spec import (
    DatasetConfig,
    DatasetSpec,
    ElasticData,
    FileData,
    OpenmlData,
    PublishedData,
    SklearnData,
    SyntheticData,
)
from .types import Dataset, Stream

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
