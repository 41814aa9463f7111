"""Counts the n-grams of texts.

Words are runs of at least two letters a to z in upper or lower case; all other characters separate words.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError

_WORD = "[a-z]{2,}"


def find_ngrams(texts: list[str], where: str, ngrams: int, min_count: int) -> sparse.csr_matrix[np.float32]:
    """Return a row for each text, with a one for each of its n-grams.

    Parameters
    ----------
    texts
        The texts.
    where
        Name of the file for messages.
    ngrams
        Most words of a feature.
    min_count
        Least occurrences of a feature in all texts.

    Returns
    -------
    csr_matrix
        (texts, features) float32 of ones; features in alphabetical order.

    Raises
    ------
    DataError
        No text holds a word.
    """
    # imported here: it takes seconds
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=_WORD, ngram_range=(1, ngrams), dtype=np.int32)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:  # an empty vocabulary
        raise DataError(f"{where}: no message holds a word.") from error
    counts = counts[:, np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min_count)]
    counts.sort_indices()
    return sparse.csr_matrix((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)
