"""The instrumented core: kernels, counted rows, water levels and solvers."""

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class _Class(type):
    """What pybind11 makes classes with."""

class InvalidArgument(ValueError):  # noqa: N818
    """A setting, shape or value outside the allowed range."""

def build_info() -> dict[str, Any]:
    """Return build_id, compiler, flags, isa (the instruction set in use) and counting, by name."""

def set_gemm(sgemm: object, dgemm: object) -> None:
    """Set the BLAS routines, given as the capsules of scipy.linalg.cython_blas.

    Raises InvalidArgument if a capsule has another signature.
    """

def seconds_of_row_additions(rows: RowSource, repetitions: int, seed: int) -> float:
    """Return the seconds to read `repetitions` random rows and to add each, scaled, to a float64 vector.

    A loop for benchmarks. Raises InvalidArgument for more than 2^24 repetitions.
    """

class Purpose(enum.Enum):
    """The use of a random stream; streams of one seed and different purposes are independent."""

    sampling = 1
    order = 2
    features = 3
    data = 4

def philox4x32(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Return the 4 words of Philox4x32-10 for one counter block (4 words) and key (2 words)."""

class Random(metaclass=_Class):
    """A stream of the counter-based generator Philox4x32-10, for one seed and purpose."""

    def __init__(self, seed: int, purpose: Purpose) -> None: ...
    def bits64(self) -> int:
        """Return 64 random bits."""
    def below(self, bound: int) -> int:
        """Return a uniform integer from 0 to bound - 1.

        Raises InvalidArgument if bound is 0.
        """
    def uniform(self) -> float:
        """Return a uniform number in [0, 1) with 53 random bits."""
    def normal(self, size: int) -> NDArray[np.float64]:
        """Return standard normal numbers, (size,)."""
    def permutation(self, size: int) -> NDArray[np.uint32]:
        """Return a random permutation of 0, ..., size - 1."""
    def state(self) -> dict[str, NDArray[Any]]:
        """Return the position in the stream, as arrays by name."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue at a position in the stream of the same seed and purpose.

        Raises InvalidArgument, and leaves the stream unchanged, if the state does not fit.
        """

class ElasticDeformation(metaclass=_Class):
    """Images of 28 x 28 pixels, deformed by smooth random displacement fields (Simard, Steinkraus, Platt 2003).

    sigma: width of the Gaussian that smooths a field, 0.5 to 28 pixels; alpha: factor of the field, 0 to 1000.
    Raises InvalidArgument for other values.
    """

    def __init__(self, *, sigma: float, alpha: float, seed: int) -> None: ...
    def images(
        self, bases: NDArray[np.uint8], which: NDArray[np.uint32], stream: int, numbers: NDArray[np.uint32]
    ) -> NDArray[np.uint8]:
        """Return one deformed image for each number, (m, 784).

        bases: (b, 784) grey values; which: (m,) rows of `bases`; stream: the series of images; numbers: (m,).
        An image depends on its base, seed, stream and number only. Raises InvalidArgument for other shapes or a
        row that does not exist.
        """
    def field(self, stream: int, number: int) -> NDArray[np.int64]:
        """Return the displacements of an image's pixels along rows and columns, (2, 28, 28), in 1/256 of a pixel."""

class Matrix(metaclass=_Class):
    """A float32 data matrix, dense (n, d) or CSR with rising column indices in each row; keeps its arrays alive.

    All values are finite. They are not copied: changing them later changes results. Offsets and indices are copied
    if they are writable. Raises InvalidArgument for other shapes, indices or values.
    """

    @overload
    def __init__(self, dense: NDArray[np.float32]) -> None: ...
    @overload
    def __init__(
        self, offsets: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[np.float32], columns: int
    ) -> None: ...
    @property
    def rows(self) -> int:
        """Number of rows, n."""
    @property
    def columns(self) -> int:
        """Number of columns, d."""
    @property
    def stored(self) -> int:
        """Number of stored values; n d if dense."""

class KernelFunction(metaclass=_Class):
    """A kernel K(x, z), computed from <x, z> and the squared norms.

    gaussian: exp(-gamma |x - z|^2); polynomial: (gamma <x, z> + coef0)^degree; linear: <x, z>. Raises
    InvalidArgument unless gamma is finite and positive, coef0 finite, and degree from 1 to 100.
    """

    class Kind(enum.Enum):
        """The kinds of kernel functions."""

        gaussian = 0
        polynomial = 1
        linear = 2

    def __init__(self, kind: KernelFunction.Kind, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1) -> None: ...
    def require_range(self, square: float) -> None:
        """Raise InvalidArgument if float32 might not hold the kernel's values of points with |x|^2 up to `square`."""

def fill_gram(
    kernel: KernelFunction,
    matrix: Matrix,
    out: NDArray[np.float32],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> int:
    """Fill `out`, (n, n) float32, with the Gram matrix; return the number of threads that the system did not start.

    The other threads do their work. `progress` is called with the fraction done. Raises InvalidArgument if `out`
    has another shape or float32 cannot hold the kernel's values.
    """

def fill_features(
    kernel: KernelFunction,
    matrix: Matrix,
    basis: Matrix,
    projection: NDArray[np.float32],
    out: NDArray[np.float32] | NDArray[np.uint16] | NDArray[np.float16],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> tuple[float, int]:
    """Fill `out`, (n, features), with out[i, r] = sum_k K(x_i, basis_k) projection[r, k], computed in float32.

    out: float32, or rounded to float16, or to bfloat16 in an array of uint16. projection: (features, basis points).
    `progress` is called with the fraction done. Returns the CPU seconds of threads other than the calling one, and the
    number of threads that the system did not start. Raises InvalidArgument for other shapes or if float32 cannot hold
    the kernel's values.
    """

def expand(
    kernel: KernelFunction,
    support: Matrix,
    evaluation: Matrix,
    coefficients: NDArray[np.float64],
    threads: int = 1,
) -> NDArray[np.float64]:
    """Return sum_k K(support_k, x_j) coefficients[k, :] for all evaluation points x_j, (m, vectors).

    coefficients: (support points, vectors). Raises InvalidArgument for other shapes or if float32 cannot hold the
    kernel's values.
    """

class RowSource(metaclass=_Class):
    """Rows of the kernel matrix of the training points, which are ordered by class: the positive ones first.

    The constructors of derived classes raise InvalidArgument if one class is empty or float32 cannot hold the
    kernel's values.
    """

    @property
    def size(self) -> int:
        """Number of training points, n."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""
    @property
    def diagonal(self) -> NDArray[np.float32]:
        """K(x_i, x_i) for all i, (n,)."""
    def row(self, i: int) -> NDArray[np.float32]:
        """Return a copy of row i, (n,); not charged.

        Raises InvalidArgument if there is no such row, RuntimeError if another thread uses the rows.
        """

class GramRows(RowSource):
    """Rows of a filled (n, n) float32 Gram matrix, whose values must be finite: they are not checked."""

    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, gram: NDArray[np.float32]) -> None: ...
    def expand(
        self, support: NDArray[np.uint32], coefficients: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return sum_k K(x_support[k], x_j) coefficients[k, :] for all training points x_j, (n, vectors).

        support: (s,) training points; coefficients: (s, vectors). Raises InvalidArgument for other shapes or
        points.
        """

class CachedRows(RowSource):
    """Rows computed on request; the `capacity` (at least 2) most recently used ones are cached."""

    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, capacity: int) -> None: ...
    @property
    def capacity(self) -> int:
        """Number of rows that the cache holds."""
    @property
    def computed(self) -> int:
        """Number of rows computed so far."""

class Counters(metaclass=_Class):
    """The exact costs of a run."""

    @property
    def iterations(self) -> int:
        """Iterations of the main loop."""
    @property
    def presentations(self) -> int:
        """Examples presented; an epoch is n of them."""
    @property
    def kernel_evaluations(self) -> int:
        """Kernel values K(x_i, x_j)."""
    @property
    def inner_products(self) -> int:
        """Inner products of d-dimensional vectors."""
    @property
    def feature_accesses(self) -> int:
        """Stored coordinates of training vectors that were read."""
    @property
    def feature_accesses_dense(self) -> int:
        """The same, counting d coordinates for every vector."""

class CountedRows(metaclass=_Class):
    """Kernel rows for a solver written in Python; counts every row that it hands out."""

    def __init__(self, source: RowSource) -> None: ...
    @property
    def size(self) -> int:
        """Number of training points, n."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""
    @property
    def counters(self) -> Counters:
        """A copy of the counters."""
    def label(self, i: int) -> float:
        """Return the label of training point i, 1.0 or -1.0.

        Raises InvalidArgument if there is no such point.
        """
    def diagonal(self, i: int) -> float:
        """Return K(x_i, x_i).

        Raises InvalidArgument if there is no such point.
        """
    def row(self, i: int) -> NDArray[np.float32]:
        """Return a copy of row i, (n,), and charge n kernel evaluations.

        Raises InvalidArgument if there is no such row, RuntimeError if another thread uses the rows.
        """

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the counters as arrays by name."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from the counters of a view of a problem of the same sizes.

        Raises InvalidArgument, and leaves the view unchanged, if the state does not fit.
        """
    def present(self, examples: int = 1) -> None:
        """Count one iteration of the solver's main loop, which read `examples` examples (at most 2^32)."""

class FeatureMatrix(metaclass=_Class):
    """Training points, (n, d), ordered by class; keeps the matrix of their rows alive.

    Columns are made when they are first read. Raises InvalidArgument for a matrix without rows or columns, or more
    positive points than rows.
    """

    def __init__(self, rows: Matrix, positives: int) -> None: ...
    @property
    def n(self) -> int:
        """Number of training points."""
    @property
    def d(self) -> int:
        """Number of features."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""
    @property
    def largest_norm(self) -> float:
        """Largest Euclidean norm of a row."""

def frequency_order(indices: NDArray[np.int32], columns: int) -> NDArray[np.int64]:
    """Return the columns of a CSR matrix, (columns,), those with the most stored values first.

    indices: the column of each stored value. Equally frequent columns are in the order of their first places there;
    columns without values are rising, at the end. Raises InvalidArgument if an index is outside [0, columns).
    """

def renumber_columns(
    offsets: NDArray[np.int64], numbers: NDArray[np.int32], indices: NDArray[np.int32], values: NDArray[np.float32]
) -> None:
    """Give the columns of a CSR matrix new numbers, (columns,), in place; indices rise within a row again.

    Raises InvalidArgument, with some rows changed, if offsets fall or exceed the number of values, a row has more
    values than there are columns, or an index or number is outside [0, columns).
    """

class BFloat16Matrix(metaclass=_Class):
    """Training points with features of bfloat16, (n, d) in an array of uint16, ordered by class; keeps the array alive.

    The values are not copied: changing them later changes results. Raises InvalidArgument for another shape or a value
    that is not finite.
    """

    def __init__(self, rows: NDArray[np.uint16], positives: int) -> None: ...
    @property
    def n(self) -> int:
        """Number of training points."""
    @property
    def d(self) -> int:
        """Number of features."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""

class Float16Matrix(metaclass=_Class):
    """As `BFloat16Matrix`, with features of float16."""

    def __init__(self, rows: NDArray[np.float16], positives: int) -> None: ...
    @property
    def n(self) -> int:
        """Number of training points."""
    @property
    def d(self) -> int:
        """Number of features."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""

class CountedFeatures(metaclass=_Class):
    """Rows and columns for a solver written in Python; counts everything that it hands out."""

    def __init__(self, matrix: FeatureMatrix) -> None: ...
    @property
    def n(self) -> int:
        """Number of training points."""
    @property
    def d(self) -> int:
        """Number of features."""
    @property
    def positives(self) -> int:
        """Number of positive training points."""
    @property
    def counters(self) -> Counters:
        """A copy of the counters."""
    def label(self, i: int) -> float:
        """Return the label of training point i, 1.0 or -1.0.

        Raises InvalidArgument if there is no such point.
        """
    def row(self, i: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return indices and values of row i, (s,) each; charges s feature accesses, d in the dense count.

        Raises InvalidArgument if there is no such row.
        """

    def column(self, j: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return indices and values of column j, (s,) each; charges s feature accesses, n in the dense count.

        Raises InvalidArgument if there is no such column.
        """

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the counters as arrays by name."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from the counters of a view of a problem of the same sizes.

        Raises InvalidArgument, and leaves the view unchanged, if the state does not fit.
        """
    def present(self, examples: int = 1) -> None:
        """Count one iteration of the solver's main loop, which read `examples` examples (at most 2^32)."""

class SumTree(metaclass=_Class):
    """Weights, (n,) float64, to draw indices from; drawing and changing a weight take O(log n) steps.

    Raises InvalidArgument unless the weights are finite and not negative.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None: ...
    @property
    def total(self) -> float:
        """Sum of the weights."""
    def values(self) -> NDArray[np.float64]:
        """Return the weights, (n,)."""
    def set(self, places: NDArray[np.uint32], weights: NDArray[np.float64]) -> None:
        """Change the weights at these indices, one after the other.

        Raises InvalidArgument for an index or weight that is not allowed.
        """

    def draw(self, uniforms: NDArray[np.float64]) -> NDArray[np.uint32]:
        """Return the indices that uniform numbers in [0, 1), (k,), draw.

        Raises InvalidArgument for other numbers, or if all weights are 0.
        """

class Accounting(enum.Enum):
    """How a method that reads one response at a time is charged.

    kept: all responses are kept up to date, n evaluations for each example whose alpha changes; on_demand: one
    evaluation per support vector for each response.
    """

    kept = 0
    on_demand = 1

def water_levels(responses: NDArray[np.float64], positives: int, volume: float, bias: bool) -> tuple[float, float]:
    """Return the water levels (g+, g-) of responses ordered by class, (n,), for the slack volume.

    Without bias both are the same. Raises InvalidArgument for responses or a volume that are not finite or above
    1e150.
    """

def water_levels_sorted(
    responses: NDArray[np.float64], positives: int, volume: float, bias: bool
) -> tuple[float, float]:
    """Return the same as `water_levels`, computed by sorting; the reference for tests."""

class Status(enum.Enum):
    """Why `advance` returned: the limit that was reached (the first of them, in this order), or convergence."""

    iterations = 0
    presentations = 1
    kernel_evaluations = 2
    inner_products = 3
    feature_accesses = 4
    cpu_seconds = 5
    converged = 6

class Solver(metaclass=_Class):
    """The base of all solvers: a state machine that can stop and go on, with limits, exact counters and clocks."""

    def advance(self, **limits: float) -> Status:
        """Run until a limit is reached or the method has converged; return which.

        Limits: iterations, presentations, kernel_evaluations, inner_products, feature_accesses (integers) and
        cpu_seconds. The run stops at the end of the first iteration in which one is reached; cpu_seconds is
        checked about every hundredth of a second. Raises RuntimeError if another thread uses this solver or its
        row cache, or if an earlier call ended with an error in the middle of an iteration. Methods that read
        results or the state raise it too; `counters`, `cpu_seconds` and `wall_seconds` may be read at any time.
        """
    @property
    def counters(self) -> Counters:
        """A copy of the counters."""
    @property
    def cpu_seconds(self) -> float:
        """CPU seconds inside the solver so far, those of its other threads included."""
    @property
    def wall_seconds(self) -> float:
        """Wall seconds inside the solver so far."""
    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything on which later results depend, as arrays by member name."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from the state of a solver with the same constructor arguments; this one must not have advanced.

        Raises InvalidArgument, and leaves the solver unchanged, if the state does not fit.
        """

class KernelSolver(Solver):
    """A solver whose predictor is f(x) = sum_i coefficient_i K(x_i, x) + bias.

    The constructor makes a solver that has no class here, by its name in `cpp/core/solvers/by_name.cpp`. settings:
    numbers by name, with 0 and 1 for flags; the others have their defaults.
    """

    def __init__(self, name: str, rows: RowSource, settings: Mapping[str, float], *, seed: int) -> None: ...
    def coefficients(self) -> NDArray[np.float64]:
        """Return the coefficients y_i alpha_i of the present predictor, (n,), in the order of the rows."""
    def responses(self) -> NDArray[np.float64] | None:
        """Return y_i f(x_i) without the bias, (n,), or None if the solver does not keep them up to date."""
    @property
    def bias(self) -> float:
        """The bias of the present predictor; 0 for methods without one."""

class Sbp(KernelSolver):
    """The Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012, Algorithm 1).

    nu: slack volume per example; bias: two classes' water levels (section 3.6), and with `pairs` a point of each
    class per iteration; eta: step scale, 0 for 1 / sqrt(max K(x, x)).
    """

    def __init__(
        self, rows: RowSource, *, nu: float, bias: bool = False, pairs: bool = True, eta: float = 0.0, seed: int
    ) -> None: ...
    @property
    def level(self) -> float:
        """Water level at which the last example was drawn."""

class Pegasos(KernelSolver):
    """Pegasos on kernels: stochastic subgradient steps on the lambda form.

    project: project onto |w| <= 1 / sqrt(lambda) after each step.
    """

    def __init__(
        self,
        rows: RowSource,
        *,
        lambda_: float,
        project: bool = False,
        accounting: Accounting = Accounting.on_demand,
        seed: int,
    ) -> None: ...

class Sdca(KernelSolver):
    """Stochastic dual coordinate ascent on kernels, in the box [0, C]."""

    def __init__(
        self, rows: RowSource, *, C: float, accounting: Accounting = Accounting.on_demand, seed: int
    ) -> None: ...

class Smo(KernelSolver):
    """Sequential minimal optimisation without bias: one coordinate at a time, the one with the largest gain.

    tolerance: it stops when no optimality condition is violated by more; 0: never.
    """

    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 1e-3) -> None: ...

class SmoWithBias(KernelSolver):
    """Sequential minimal optimisation with bias: pairs by second-order information, as in LIBSVM.

    tolerance: it stops when no optimality condition is violated by more; 0: never.
    """

    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 1e-3) -> None: ...

class SvmLight(KernelSolver):
    """SVMlight's decomposition of the dual (Joachims 1999).

    working_set: variables changed in an iteration, even, 2 to 50; shrink_after: iterations after which a variable
    that seems optimal at its bound is left out, 0: never.
    """

    def __init__(
        self,
        rows: RowSource,
        *,
        C: float,
        bias: bool = False,
        tolerance: float = 1e-3,
        working_set: int = 10,
        shrink_after: int = 100,
    ) -> None: ...
    @property
    def active(self) -> int:
        """Number of variables that are not left out."""

class Lasvm(KernelSolver):
    """LASVM (Bordes, Ertekin, Weston, Bottou 2005): online SMO over a growing and shrinking expansion.

    passes: before finishing; 0: passes and finishing alternate until a pass changes nothing. delta_max: REPROCESS
    is repeated while the violation is above it.
    """

    def __init__(
        self,
        rows: RowSource,
        *,
        C: float,
        bias: bool = False,
        tolerance: float = 1e-3,
        passes: int = 1,
        delta_max: float = ...,
        seed: int,
    ) -> None: ...
    @property
    def expansion(self) -> int:
        """Number of examples in the expansion, those with alpha = 0 included."""
    @property
    def finishing(self) -> bool:
        """Whether the passes are over and only REPROCESS steps remain."""

def box_qp(
    gradient: NDArray[np.float64],
    H: NDArray[np.float64],
    *,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    balanced: bool,
) -> NDArray[np.float64]:
    """Return argmax of <gradient, d> - <d, H d> / 2 over low <= d <= high, (m,), and sum d = 0 if balanced.

    H: (m, m). Raises InvalidArgument for other shapes, values that are not finite, or bounds that exclude 0.
    """

class LinearSolver(Solver):
    """A solver whose predictor is f(x) = <w, x> + bias, with explicit weights w."""

    def weights(self) -> NDArray[np.float64]:
        """Return the weights of the present predictor, (d,)."""
    @property
    def bias(self) -> float:
        """The bias of the present predictor; 0 for methods without one."""
    @property
    def lower_bound(self) -> float | None:
        """A lower bound on the optimum of the lambda form, or None if the method does not compute one."""

class LinearPegasos(LinearSolver):
    """Pegasos on explicit weights, in float64.

    project: project onto |w| <= 1 / sqrt(lambda) after each step.
    """

    def __init__(self, features: FeatureMatrix, *, lambda_: float, project: bool = False, seed: int) -> None: ...

class LinearPegasos32(LinearSolver):
    """`LinearPegasos` with float32 weights."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, project: bool = False, seed: int) -> None: ...

class Asset(LinearSolver):
    """ASSET or, if strongly_convex, ASSET* (Lee, Wright 2011) on rows of features.

    `weights` and `bias` are averages of the last iterates, weighted by their steps. bound: largest |bias|, None: no
    bias; step: factor of the steps of ASSET; window: iterates in the average; samples: examples from which D_G is
    estimated; one_pass: each example once in random order, otherwise uniform with replacement.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        strongly_convex: bool = False,
        bound: float | None = None,
        step: float = 1.0,
        window: int = 100,
        samples: int = 100,
        one_pass: bool = False,
        seed: int,
    ) -> None: ...
    def average(self) -> tuple[NDArray[np.float64], float]:
        """Return the weights, (d,), and the bias of the average of the last iterates, computed together."""
    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""
    @property
    def last_bias(self) -> float:
        """The bias of the last iterate."""
    @property
    def deviation(self) -> float:
        """D_G^2, the estimate of the mean squared subgradient norm at w = 0."""
    def step_length(self, j: int) -> float:
        """Return the length of step j = 1, 2, ..."""

class AssetBFloat16(LinearSolver):
    """`Asset` on features of bfloat16."""

    def __init__(
        self,
        features: BFloat16Matrix,
        *,
        lambda_: float,
        strongly_convex: bool = False,
        bound: float | None = None,
        step: float = 1.0,
        window: int = 100,
        samples: int = 100,
        one_pass: bool = False,
        seed: int,
    ) -> None: ...
    def average(self) -> tuple[NDArray[np.float64], float]:
        """Return the weights, (d,), and the bias of the average of the last iterates, computed together."""
    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""
    @property
    def last_bias(self) -> float:
        """The bias of the last iterate."""
    @property
    def deviation(self) -> float:
        """D_G^2, the estimate of the mean squared subgradient norm at w = 0."""
    def step_length(self, j: int) -> float:
        """Return the length of step j = 1, 2, ..."""

class AssetFloat16(LinearSolver):
    """`Asset` on features of float16."""

    def __init__(
        self,
        features: Float16Matrix,
        *,
        lambda_: float,
        strongly_convex: bool = False,
        bound: float | None = None,
        step: float = 1.0,
        window: int = 100,
        samples: int = 100,
        one_pass: bool = False,
        seed: int,
    ) -> None: ...
    def average(self) -> tuple[NDArray[np.float64], float]:
        """Return the weights, (d,), and the bias of the average of the last iterates, computed together."""
    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""
    @property
    def last_bias(self) -> float:
        """The bias of the last iterate."""
    @property
    def deviation(self) -> float:
        """D_G^2, the estimate of the mean squared subgradient norm at w = 0."""
    def step_length(self, j: int) -> float:
        """Return the length of step j = 1, 2, ..."""

class AssetStream(Solver):
    """`Asset` on a stream whose examples' features, (block, dimension), are handed over block by block.

    length: examples in the stream; raw_dimension: coordinates of an example; dimension: features.
    """

    def __init__(
        self,
        length: int,
        raw_dimension: int,
        dimension: int,
        *,
        lambda_: float,
        strongly_convex: bool = False,
        bound: float | None = None,
        step: float = 1.0,
        window: int = 100,
        samples: int = 100,
    ) -> None: ...
    @property
    def expected(self) -> int:
        """Number of examples of the next block; 0 at the end of the stream."""
    @property
    def fed(self) -> int:
        """Number of examples handed over so far; iterations stop there."""
    def feed(self, rows: NDArray[np.float32], labels: NDArray[np.int8], stored: NDArray[np.uint32]) -> None:
        """Hand over the next block, after all examples before it have been presented.

        rows: (block, dimension); labels: (block,), 1 or -1; stored: (block,), stored coordinates of the
        examples. Raises InvalidArgument for another block.
        """
    def average(self) -> tuple[NDArray[np.float64], float]:
        """Return the weights, (d,), and the bias of the average of the last iterates, computed together."""
    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""
    @property
    def last_bias(self) -> float:
        """The bias of the last iterate."""
    @property
    def deviation(self) -> float:
        """D_G^2, the estimate of the mean squared subgradient norm at w = 0."""
    def step_length(self, j: int) -> float:
        """Return the length of step j = 1, 2, ..."""

class RandomSubsets(metaclass=_Class):
    """Random subsets of {0, ..., size - 1} with `count` elements, without replacement."""

    def __init__(self, size: int, count: int, seed: int) -> None: ...
    def next(self) -> NDArray[np.uint32]:
        """Return the next subset, (count,)."""

class Averaging(enum.Enum):
    """The predictor of a method on mini-batches.

    last: the last iterate; tail: the mean of about the second half of the iterates; decaying: m <- 0.9 m + 0.1 w.
    """

    last = ...
    tail = ...
    decaying = ...

class SdcaVariant(enum.Enum):
    """The divisor of mini-batch SDCA's steps.

    naive: the example's squared norm; safe: the largest squared norm times beta_b; aggressive: times an estimate
    made on the way.
    """

    naive = ...
    safe = ...
    aggressive = ...

class Shard(metaclass=_Class):
    """The examples of one process: of `size` examples those with numbers rank, rank + ranks, ...

    largest_norm: of all examples. Raises InvalidArgument if it is not finite or is negative.
    """

    def __init__(self, rank: int, ranks: int, size: int, largest_norm: float) -> None: ...

class MiniBatchSolver(LinearSolver):
    """A method on mini-batches; the same bits for any number of threads.

    If processes share the examples, `features` are the rows of the shard, and `all_reduce` replaces a float64 array
    in place by its sum over all processes, the same bits in each. `alpha` in a state holds the dual variables of
    the shard's examples.
    """

    @property
    def threads(self) -> int:
        """Threads in use, the calling one included: fewer than requested if the system did not start all."""

class MiniBatchPegasos(MiniBatchSolver):
    """Pegasos on mini-batches (Takac, Bijral, Richtarik, Srebro 2013, Algorithm 1)."""

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        batch_size: int,
        average: Averaging = ...,
        threads: int = 1,
        seed: int,
        shard: Shard | None = None,
        all_reduce: Callable[[NDArray[np.float64]], None] | None = None,
    ) -> None: ...

class MiniBatchSdca(MiniBatchSolver):
    """SDCA on mini-batches (Takac, Bijral, Richtarik, Srebro 2013, Algorithm 2 and equation 15).

    beta: beta_b, of rows divided by the largest norm if that is above 1; gamma: weight of the past in the
    aggressive variant's beta.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        batch_size: int,
        variant: SdcaVariant,
        beta: float = 1.0,
        gamma: float = 0.95,
        average: Averaging = ...,
        threads: int = 1,
        seed: int,
        shard: Shard | None = None,
        all_reduce: Callable[[NDArray[np.float64]], None] | None = None,
    ) -> None: ...
    def lower_bound_of(self, sum_of_alpha: float) -> float:
        """Return the dual objective, given the sum of all dual variables."""
    def alpha(self) -> NDArray[np.float64]:
        """Return the dual variables of this process's examples, in [0, 1], (n,)."""
    @property
    def beta(self) -> float:
        """Divisor of the next aggressive step."""
    @property
    def refused(self) -> int:
        """Aggressive steps that were undone because they did not raise the dual objective."""

class SvmSgd(LinearSolver):
    """Bottou's SVMSGD; t0 = None: tuned on a sample in the first step."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, seed: int) -> None: ...
    @property
    def t0(self) -> float | None:
        """The t0 in use; None before it has been tuned."""

class SvmSgd32(LinearSolver):
    """`SvmSgd` with float32 weights."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, seed: int) -> None: ...
    @property
    def t0(self) -> float | None:
        """The t0 in use; None before it has been tuned."""

class SgdQnVariant(enum.Enum):
    """What SGD-QN learns.

    corrected: curvatures are added up (erratum 2010); original: ratios are averaged (2009).
    """

    corrected = ...
    original = ...

class SgdQn(LinearSolver):
    """SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010); t0 = None: tuned on a sample in the first step.

    skip: steps between two actions of the regulariser on dense rows. permutation: each epoch has a new random order.
    Of the corrected variant: tuning_passes, over the sample in a trial of a t0, from 1 to 100; restart: each epoch
    counts the steps to the regulariser's next action anew.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        variant: SgdQnVariant = ...,
        t0: float | None = None,
        skip: int = 16,
        tuning_passes: int = 10,
        permutation: bool = True,
        restart: bool = True,
        seed: int,
    ) -> None: ...
    @property
    def t0(self) -> float | None:
        """The t0 in use; None before it has been tuned."""
    @property
    def period(self) -> int:
        """Steps between two actions of the regulariser."""

class SgdQn32(LinearSolver):
    """`SgdQn` with float32 weights."""

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        variant: SgdQnVariant = ...,
        t0: float | None = None,
        skip: int = 16,
        tuning_passes: int = 10,
        permutation: bool = True,
        restart: bool = True,
        seed: int,
    ) -> None: ...
    @property
    def t0(self) -> float | None:
        """The t0 in use; None before it has been tuned."""
    @property
    def period(self) -> int:
        """Steps between two actions of the regulariser."""

class Mpu(LinearSolver):
    """The margin perceptron with unlearning; ends when the relative gap (J - L) / L is at most eps."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float = 0.01, seed: int) -> None: ...
    def alpha(self) -> NDArray[np.float64]:
        """Return the dual variables of the examples, in order of class, (n,)."""
    @property
    def parts(self) -> int:
        """Number of steps from 0 to C that a dual variable can take."""

class Simba(LinearSolver):
    """SVM-SIMBA (Hazan, Koren, Srebro 2011, Algorithm 1); `weights` and `bias` are the means of all iterates.

    horizon: constant steps for so many iterations; 0: shrinking steps and no end. printed_rate: eta = sqrt(log n) / t
    instead of sqrt(log(n) / t). clip: limit the estimates to [-1/eta, 1/eta] (line 10).
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        nu: float,
        bias: bool = False,
        horizon: int = 0,
        printed_rate: bool = False,
        clip: bool = True,
        seed: int,
    ) -> None: ...
    @property
    def divisor(self) -> float:
        """Divisor of the rows and of nu: the largest norm of a row, or 1."""

    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""

    def distribution(self) -> NDArray[np.float64]:
        """Return the distribution over the examples, in order of class, (n,)."""

class SvmPerf(LinearSolver):
    """Cutting planes at the minimum of the master problem (Joachims 2006).

    Ends when J - L <= eps L, or J - L <= eps if not `relative`. The master problem is solved to qp_precision (J - L); a
    cut whose weight has been 0 idle_cuts times in a row is removed, None: never.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        eps: float,
        relative: bool = True,
        qp_precision: float = 1e-3,
        idle_cuts: int | None = 50,
    ) -> None: ...

class Ocas(LinearSolver):
    """Cutting planes with an exact line search (Franc, Sonnenburg 2008).

    The next cut is a part mu of the way from the best weights to the master's. Ends when J - L <= eps L.
    """

    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float, mu: float) -> None: ...

class Cpsp(Solver):
    """CPSP (Joachims, Yu 2009): cutting planes in the span of a growing basis.

    points: (n, d); the kernel is exp(-gamma |x - z|^2). Ends when J - L <= eps. capacity: basis functions at most;
    starts: examples of which the best starts the search of a basis function.
    """

    def __init__(
        self,
        points: FeatureMatrix,
        *,
        gamma: float,
        lambda_: float,
        eps: float,
        capacity: int,
        starts: int = 1,
        seed: int,
    ) -> None: ...
    @property
    def size(self) -> int:
        """Number of basis functions, k."""
    def point(self, j: int) -> NDArray[np.float32]:
        """Return the point of basis function j, (d,).

        Raises InvalidArgument if there is no such function.
        """
    def weights(self) -> NDArray[np.float64]:
        """Return the weights' coordinates in an orthonormal basis of the span, (k,)."""
    def coefficients(self) -> NDArray[np.float64]:
        """Return the coefficients of the weights' expansion in the basis functions, (k,)."""
    @property
    def lower_bound(self) -> float:
        """A lower bound on the optimum over the span of the present basis."""

class SimplexQp(metaclass=_Class):
    """Maximise <beta, gamma> - <gamma, H gamma> / 2 on the simplex; variables are added one by one.

    H is positive semidefinite.
    """

    def __init__(self) -> None: ...
    def add(self, beta: float, products: NDArray[np.float64]) -> None:
        """Add variable k, given H[k, : k + 1]; the first variable gets all the mass.

        Raises InvalidArgument for another length or values that are not finite.
        """

    def solve(self, tolerance: float) -> None:
        """Improve the solution until `gap` is at most `tolerance`, or rounding allows no more.

        Raises InvalidArgument for a negative tolerance or if there is no variable.
        """
    @property
    def solution(self) -> NDArray[np.float64]:
        """gamma, (k,)."""
    @property
    def value(self) -> float:
        """The objective at the solution."""
    @property
    def gap(self) -> float:
        """An upper bound on the optimum minus `value`.

        Raises InvalidArgument if there is no variable.
        """

def hinge_line_minimum(from_: NDArray[np.float64], to: NDArray[np.float64], *, slope: float, curvature: float) -> float:
    """Return argmin over k >= 0 of slope k + curvature k^2 / 2 + mean hinge loss of margins (1 - k) from_ + k to.

    from_, to: (n,). Raises InvalidArgument for other shapes, values that are not finite, or a curvature that is not
    positive.
    """

class SgdRandom(LinearSolver):
    """SGD-r (Panagiotakopoulos, Tsampouka 2013): examples drawn with replacement."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, seed: int) -> None: ...

class SgdPasses(LinearSolver):
    """SGD-s and SGD-m (Panagiotakopoulos, Tsampouka 2013): passes in random order; ends when (J - L) / L <= eps.

    multiplicities: presentations of each example in a row, in the first pass, the second, ..., repeated;
    check_factor: J is computed if its estimate gives a gap of at most check_factor eps.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        eps: float,
        check_factor: float,
        multiplicities: list[int],
        seed: int,
    ) -> None: ...
    def updates(self) -> NDArray[np.uint32]:
        """Return the number of updates by each example, in order of class, (n,)."""
    @property
    def checks(self) -> int:
        """Number of times that the primal objective was computed."""

class SgdPasses32(LinearSolver):
    """`SgdPasses` with float32 weights."""

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        eps: float,
        check_factor: float,
        multiplicities: list[int],
        seed: int,
    ) -> None: ...
    def updates(self) -> NDArray[np.uint32]:
        """Return the number of updates by each example, in order of class, (n,)."""
    @property
    def checks(self) -> int:
        """Number of times that the primal objective was computed."""

def multiple_update(
    *, threshold: float, lambda_: float, response: float, squared_norm: float, multiplicity: int
) -> int:
    """Return the updates in `multiplicity` presentations in a row, with thresholds that rise by lambda each time.

    threshold: the first one; response: y <a, x> before. Raises InvalidArgument for values that are not finite or
    not allowed.
    """

class Dcd(LinearSolver):
    """Dual coordinate descent (Hsieh et al. 2008) for the linear SVM; ends when (P - D) / D <= eps.

    shrinking: leaves out coordinates that seem to stay at their bounds; permutation: a fresh order in each pass.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        C: float,
        eps: float,
        shrinking: bool = True,
        permutation: bool = True,
        seed: int,
    ) -> None: ...
    def alpha(self) -> NDArray[np.float64]:
        """Return the dual variables of the examples, in order of class, (n,), in [0, C]."""
