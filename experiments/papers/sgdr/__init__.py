"""The Stochastic Gradient Descent for the Primal L1-SVM Optimization Revisited (Panagiotakopoulos, Tsampouka 2013)."""

from typing import Final

NO_PRINTED_VALUES: Final = (
    "Nothing is compared with printed values: our copy of the paper lacks its tables and the values in its figures. So "
    "the values of C (0.1, 1 and 10 for small, medium and large; 1, 10 and 30 in single precision), IJCNN1 in the "
    "place of Physics, and features of Covertype between 0 and 1 are guesses. CCAT has 25,000 training rows here, "
    "804,414 in the paper."
)
"""Note below each table of this paper, with what is guessed."""
