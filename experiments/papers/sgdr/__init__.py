"""The Stochastic Gradient Descent for the Primal L1-SVM Optimization Revisited (Panagiotakopoulos, Tsampouka 2013)."""

from typing import Final

NO_PRINTED_VALUES: Final = (
    "Nothing is compared with printed values: our copy of the paper lacks its tables and the values in its figures."
)
"""Note below each table of this paper."""
