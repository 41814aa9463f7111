"""The instrumented core: kernels, counted rows, water levels and solvers."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class _Class(type):
    """What pybind11 makes classes with."""

class InvalidArgument(ValueError):  # noqa: N818
    """A setting, shape or value outside what the method allows."""

def build_info() -> dict[str, Any]:
    """Return build_id, compiler, flags, isa (in use on this processor) and counting."""

def set_gemm(sgemm: object, dgemm: object) -> None:
    """Take these routines of scipy.linalg.cython_blas as their capsules."""

def seconds_of_row_additions(rows: RowSource, repetitions: int, seed: int) -> float:
    """Return the seconds to read so many random rows and add each, scaled, to a float64 vector."""

class Purpose(enum.Enum):
    """What a stream is for; streams of one seed and different purposes are independent."""

    sampling = 1
    order = 2
    features = 3
    data = 4

def philox4x32(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Return the 4 words of Philox4x32-10 for one counter block (4 words) and key (2 words)."""

class Random(metaclass=_Class):
    """A stream of the counter-based generator for one seed and purpose."""

    def __init__(self, seed: int, purpose: Purpose) -> None: ...
    def bits64(self) -> int: ...
    def below(self, bound: int) -> int: ...
    def uniform(self) -> float: ...
    def normal(self, size: int) -> NDArray[np.float64]: ...
    def permutation(self, size: int) -> NDArray[np.uint32]: ...
    def state(self) -> dict[str, NDArray[Any]]:
        """Where the stream is."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...

class ElasticDeformation(metaclass=_Class):
    """Images of 28 x 28 pixels, deformed by smooth random displacement fields (Simard, Steinkraus, Platt 2003)."""

    def __init__(self, *, sigma: float, alpha: float, seed: int) -> None: ...
    def images(
        self, bases: NDArray[np.uint8], which: NDArray[np.uint32], stream: int, numbers: NDArray[np.uint32]
    ) -> NDArray[np.uint8]:
        """Return the base of each number, deformed: (m, 784), for bases (b, 784), which and numbers (m,)."""
    def field(self, stream: int, number: int) -> NDArray[np.int64]:
        """Return the displacements of an image's pixels along rows and columns, (2, 28, 28), in 1/256 of a pixel."""

class Matrix(metaclass=_Class):
    """A float32 data matrix, dense (n, d) or CSR with rising column indices in each row; keeps its arrays alive.

    Every value is finite. Values are read where they are: who changes them later changes results. Offsets and indices
    that could be written to are copied.
    """

    @overload
    def __init__(self, dense: NDArray[np.float32]) -> None: ...
    @overload
    def __init__(
        self, offsets: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[np.float32], columns: int
    ) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def stored(self) -> int: ...

class KernelFunction(metaclass=_Class):
    """K(x, z) from <x, z> and the squared norms."""

    class Kind(enum.Enum):
        gaussian = 0
        polynomial = 1
        linear = 2

    def __init__(self, kind: KernelFunction.Kind, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1) -> None: ...
    def require_range(self, square: float) -> None:
        """Raise CoreError where float32 might not hold the kernel's values of points with |x|^2 up to `square`."""

def fill_gram(
    kernel: KernelFunction,
    matrix: Matrix,
    out: NDArray[np.float32],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> int:
    """Fill `out`, (n, n) float32, with the Gram matrix.

    Returns the number of threads that the system has not started: the others do their work. Raises CoreError where
    float32 cannot hold the kernel's values.
    """

def fill_features(
    kernel: KernelFunction,
    matrix: Matrix,
    basis: Matrix,
    projection: NDArray[np.float32],
    out: NDArray[np.float32],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> tuple[float, int]:
    """Fill `out`, (m, features) float32, with out[i, r] = sum_k K(x_i, basis_k) projection[r, k].

    Returns the CPU seconds of threads other than the calling one, and the number of threads that the system has not
    started. Raises CoreError where float32 cannot hold the kernel's values.
    """

def expand(
    kernel: KernelFunction,
    support: Matrix,
    evaluation: Matrix,
    coefficients: NDArray[np.float64],
    threads: int = 1,
) -> NDArray[np.float64]:
    """Return sum_k K(support_k, x_j) coefficients[k, :], (m, vectors), for (s, vectors) coefficients."""

class RowSource(metaclass=_Class):
    """Rows of the kernel matrix of class-ordered training points, finite.

    Making one raises CoreError where float32 cannot hold the kernel's values on these points.
    """

    @property
    def size(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def diagonal(self) -> NDArray[np.float32]: ...
    def row(self, i: int) -> NDArray[np.float32]:
        """Return a copy of row i, (n,); not charged."""

class GramRows(RowSource):
    """Rows of a filled (n, n) float32 matrix."""

    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, gram: NDArray[np.float32]) -> None: ...
    def expand(
        self, support: NDArray[np.uint32], coefficients: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return sum_k K(x_support[k], x_j) coefficients[k, :], (n, vectors)."""

class CachedRows(RowSource):
    """Rows computed when they are asked for, the last `capacity` of them kept."""

    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, capacity: int) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def computed(self) -> int: ...

class Counters(metaclass=_Class):
    """Exact costs of a run."""

    @property
    def iterations(self) -> int: ...
    @property
    def presentations(self) -> int: ...
    @property
    def kernel_evaluations(self) -> int: ...
    @property
    def inner_products(self) -> int: ...
    @property
    def feature_accesses(self) -> int: ...
    @property
    def feature_accesses_dense(self) -> int: ...

class CountedRows(metaclass=_Class):
    """Kernel rows for a solver written in Python; charges what it hands out."""

    def __init__(self, source: RowSource) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def counters(self) -> Counters: ...
    def label(self, i: int) -> float: ...
    def diagonal(self, i: int) -> float: ...
    def row(self, i: int) -> NDArray[np.float32]:
        """Return a copy of row i, (n,); n kernel evaluations."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has been counted."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...
    def present(self, examples: int = 1) -> None:
        """Count one iteration of the solver's main loop, which looked at so many examples."""

class FeatureMatrix(metaclass=_Class):
    """Class-ordered training points, (n, d), by rows and, where given, by columns; keeps the matrices alive."""

    @overload
    def __init__(self, rows: Matrix, columns: Matrix, positives: int) -> None: ...
    @overload
    def __init__(self, rows: Matrix, positives: int) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def largest_norm(self) -> float:
        """Largest Euclidean norm of a row."""

class CountedFeatures(metaclass=_Class):
    """Rows and columns for a solver written in Python; charges what it hands out."""

    def __init__(self, matrix: FeatureMatrix) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def counters(self) -> Counters: ...
    def label(self, i: int) -> float: ...
    def row(self, i: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return places and values of row i, (s,) each: s feature accesses, d by the dense convention."""

    def column(self, j: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return places and values of column j, (s,) each: s feature accesses, n by the dense convention."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has been counted."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...
    def present(self, examples: int = 1) -> None:
        """Count one iteration of the solver's main loop, which looked at so many examples."""

class SumTree(metaclass=_Class):
    """Weights, (n,) float64, to draw from; drawing and changing one take O(log n) steps."""

    def __init__(self, weights: NDArray[np.float64]) -> None: ...
    @property
    def total(self) -> float: ...
    def values(self) -> NDArray[np.float64]: ...
    def set(self, places: NDArray[np.uint32], weights: NDArray[np.float64]) -> None:
        """Change weights, one after the other."""

    def draw(self, uniforms: NDArray[np.float64]) -> NDArray[np.uint32]:
        """Return the places that uniform numbers in [0, 1), (k,), draw."""

class Accounting(enum.Enum):
    """How methods that look at one response at a time are charged."""

    kept = 0
    on_demand = 1

def water_levels(responses: NDArray[np.float64], positives: int, volume: float, bias: bool) -> tuple[float, float]:
    """Return the levels (g+, g-) of class-ordered responses, (n,)."""

def water_levels_sorted(
    responses: NDArray[np.float64], positives: int, volume: float, bias: bool
) -> tuple[float, float]:
    """Return the same by sorting: the reference."""

class Status(enum.Enum):
    """Why `advance` came back."""

    limit = 0
    converged = 1

class Solver(metaclass=_Class):
    """A resumable state machine with limits, exact counters and clocks of its own."""

    def advance(self, **limits: float) -> Status:
        """Run until a limit is reached or the method has converged.

        `limits` are iterations, presentations, kernel_evaluations, inner_products, feature_accesses (integers) and
        cpu_seconds. Raises RuntimeError where another thread is inside this solver, or uses the same row cache, and
        where an earlier call has ended with an error in the middle of an iteration. All that reads results or the state
        does, too; `counters`, `cpu_seconds` and `wall_seconds` may be read at any time.
        """
    @property
    def counters(self) -> Counters: ...
    @property
    def cpu_seconds(self) -> float: ...
    @property
    def wall_seconds(self) -> float: ...
    def state(self) -> dict[str, NDArray[Any]]:
        """All that the iterates, costs and times to come depend on, by the names of members."""
    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of a solver that was made alike and of a problem of the same sizes.

        A state that is refused, with InvalidArgument, leaves the solver as it was.
        """

class KernelSolver(Solver):
    """A solver whose predictor is f(x) = sum_i coefficient_i K(x_i, x) + bias."""

    def coefficients(self) -> NDArray[np.float64]: ...
    def responses(self) -> NDArray[np.float64] | None: ...
    @property
    def bias(self) -> float: ...

class Sbp(KernelSolver):
    """The Stochastic Batch Perceptron."""

    def __init__(
        self, rows: RowSource, *, nu: float, bias: bool = False, pairs: bool = True, eta: float = 0.0, seed: int
    ) -> None: ...
    @property
    def level(self) -> float:
        """Water level at which the last draw was made."""

class Pegasos(KernelSolver):
    """Stochastic subgradient steps on the lambda form."""

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
    """Stochastic dual coordinate ascent."""

    def __init__(
        self, rows: RowSource, *, C: float, accounting: Accounting = Accounting.on_demand, seed: int
    ) -> None: ...

class Smo(KernelSolver):
    """Sequential minimal optimisation without bias."""

    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 1e-3) -> None: ...

class SmoWithBias(KernelSolver):
    """Sequential minimal optimisation with bias."""

    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 1e-3) -> None: ...

class SvmLight(KernelSolver):
    """SVMlight's decomposition of the dual."""

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
        """Variables that are not put aside."""

class Lasvm(KernelSolver):
    """Online SMO over a growing and shrinking expansion; passes = 0: until a pass changes nothing."""

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
        """Members, those with alpha = 0 included."""
    @property
    def finishing(self) -> bool: ...

def box_qp(
    gradient: NDArray[np.float64],
    H: NDArray[np.float64],
    *,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    balanced: bool,
) -> NDArray[np.float64]:
    """Return argmax of <gradient, d> - <d, H d> / 2 over low <= d <= high, (m,), and sum d = 0 where balanced."""

class Perceptron(KernelSolver):
    """The kernel Perceptron."""

    def __init__(self, rows: RowSource, *, seed: int) -> None: ...

class LinearSolver(Solver):
    """A solver whose predictor is f(x) = <w, x> + bias, with w explicit."""

    def weights(self) -> NDArray[np.float64]: ...
    @property
    def bias(self) -> float: ...
    @property
    def lower_bound(self) -> float | None:
        """On the optimum of the lambda form, where the method knows one."""

class LinearPegasos(LinearSolver):
    """Pegasos on explicit weights."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, project: bool = False, seed: int) -> None: ...

class LinearPegasos32(LinearSolver):
    """The same with weights of float32."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, project: bool = False, seed: int) -> None: ...

class Asset(LinearSolver):
    """ASSET or ASSET* on rows of features; `weights` and `bias` are averages of the last iterates, weighted by steps.

    Examples are uniform with replacement, or one pass in random order.
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
        """Return `weights` and `bias`, made together."""
    def last_weights(self) -> NDArray[np.float64]: ...
    @property
    def last_bias(self) -> float: ...
    @property
    def deviation(self) -> float:
        """D_G^2."""
    def step_length(self, j: int) -> float: ...

class AssetStream(Solver):
    """The same on a stream whose examples' features, (block, dimension), are handed over block by block."""

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
        """Examples of the next block; 0 at the end of the stream."""
    @property
    def fed(self) -> int:
        """Examples handed over so far."""
    def feed(self, rows: NDArray[np.float32], labels: NDArray[np.int8], stored: NDArray[np.uint32]) -> None:
        """Hand over a block; `stored`: coordinates of the examples that the features were made of."""
    def average(self) -> tuple[NDArray[np.float64], float]: ...
    def last_weights(self) -> NDArray[np.float64]: ...
    @property
    def last_bias(self) -> float: ...
    @property
    def deviation(self) -> float: ...
    def step_length(self, j: int) -> float: ...

class RandomSubsets(metaclass=_Class):
    """Random subsets of {0, ..., size - 1} with `count` elements, without replacement."""

    def __init__(self, size: int, count: int, seed: int) -> None: ...
    def next(self) -> NDArray[np.uint32]: ...

class Averaging(enum.Enum):
    """What a method on mini-batches returns."""

    last = ...
    tail = ...
    decaying = ...

class SdcaVariant(enum.Enum):
    """How far a step of mini-batch SDCA goes."""

    naive = ...
    safe = ...
    aggressive = ...

class Shard(metaclass=_Class):
    """Which of the examples a process holds: of all `size` in their order, those from `rank` on in steps of `ranks`."""

    def __init__(self, rank: int, ranks: int, size: int, largest_norm: float) -> None: ...

class MiniBatchSolver(LinearSolver):
    """A method on mini-batches; the same bits for any number of threads.

    Where processes share the examples, `features` are the rows of the shard, and `exchange` replaces a float64 array in
    place by its sum over all processes, the same bits in each. `alpha` of a state are the dual variables of the own
    examples.
    """

    @property
    def threads(self) -> int:
        """Threads that work, the calling one included: fewer than asked for where the system refuses one."""

class MiniBatchPegasos(MiniBatchSolver):
    """Algorithm 1 of the mini-batch paper."""

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
        exchange: Callable[[NDArray[np.float64]], None] | None = None,
    ) -> None: ...

class MiniBatchSdca(MiniBatchSolver):
    """SDCA on mini-batches; beta is beta_b of rows divided by the largest norm where that is above 1."""

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
        exchange: Callable[[NDArray[np.float64]], None] | None = None,
    ) -> None: ...
    def lower_bound_of(self, sum_of_alpha: float) -> float:
        """Return the dual objective, given the sum of all dual variables."""
    def alpha(self) -> NDArray[np.float64]:
        """Dual variables of the own examples, in [0, 1], (n,)."""
    @property
    def beta(self) -> float:
        """What the next aggressive step is divided by."""
    @property
    def refused(self) -> int:
        """Aggressive steps that would not have raised the dual objective."""

class SvmSgd(LinearSolver):
    """Bottou's SVMSGD; t0 = None: chosen on a sample in the first step."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, seed: int) -> None: ...
    @property
    def t0(self) -> float | None:
        """In use; None as long as it has not been chosen."""

class SvmSgd32(LinearSolver):
    """The same on weights of float32."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, seed: int) -> None: ...
    @property
    def t0(self) -> float | None: ...

class SgdQn(LinearSolver):
    """SGD-QN; t0 = None: chosen on a sample in the first step."""

    def __init__(
        self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, skip: int = 16, seed: int
    ) -> None: ...
    @property
    def t0(self) -> float | None:
        """In use; None as long as it has not been chosen."""
    @property
    def period(self) -> int:
        """Steps between two actions of the regulariser."""

class SgdQn32(LinearSolver):
    """The same on weights of float32."""

    def __init__(
        self, features: FeatureMatrix, *, lambda_: float, t0: float | None = None, skip: int = 16, seed: int
    ) -> None: ...
    @property
    def t0(self) -> float | None: ...
    @property
    def period(self) -> int: ...

class Mpu(LinearSolver):
    """The margin perceptron with unlearning."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float = 0.01, seed: int) -> None: ...
    def alpha(self) -> NDArray[np.float64]:
        """Return the dual variables of the class-ordered examples, (n,)."""
    @property
    def parts(self) -> int:
        """Steps from 0 to C that a dual variable can take."""

class Simba(LinearSolver):
    """SVM-SIMBA; `weights` and `bias` are the means of all iterates."""

    def __init__(
        self, features: FeatureMatrix, *, nu: float, bias: bool = False, horizon: int = 0, seed: int
    ) -> None: ...
    @property
    def divisor(self) -> float:
        """What rows and nu were divided by: the largest norm of a row, or 1."""

    def last_weights(self) -> NDArray[np.float64]:
        """Return the last iterate, (d,)."""

    def distribution(self) -> NDArray[np.float64]:
        """Return the distribution over the class-ordered examples, (n,)."""

class SvmPerf(LinearSolver):
    """Cutting planes at the minimum of the master problem; ends when J - L <= eps L, or eps where not `relative`."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float, relative: bool = True) -> None: ...

class Ocas(LinearSolver):
    """Cutting planes with an exact line search."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float, mu: float) -> None: ...

class Cpsp(Solver):
    """CPSP on training points, (n, d), under exp(-gamma |x - z|^2): cutting planes in the span of a growing basis."""

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
        """Basis functions, k."""
    def point(self, j: int) -> NDArray[np.float32]:
        """Return the point of basis function j, (d,)."""
    def weights(self) -> NDArray[np.float64]:
        """Return the weights' coordinates on an orthonormal basis of the span, (k,)."""
    def coefficients(self) -> NDArray[np.float64]:
        """Return the coefficients of the weights' expansion in the basis, (k,)."""
    @property
    def lower_bound(self) -> float:
        """On the optimum over the span of the present basis."""

class SimplexQp(metaclass=_Class):
    """Maximise <beta, gamma> - <gamma, H gamma> / 2 on the simplex, H positive semidefinite, variables one by one."""

    def __init__(self) -> None: ...
    def add(self, beta: float, products: NDArray[np.float64]) -> None:
        """Add variable k, given H[k, : k + 1]; the first one gets all the mass."""

    def solve(self, tolerance: float) -> None:
        """Improve the solution until `gap` is at most `tolerance`, or rounding allows no more."""
    @property
    def solution(self) -> NDArray[np.float64]: ...
    @property
    def value(self) -> float: ...
    @property
    def gap(self) -> float:
        """The optimum is at most so much above `value`."""

def hinge_line_minimum(from_: NDArray[np.float64], to: NDArray[np.float64], *, slope: float, curvature: float) -> float:
    """Return argmin over k >= 0 of slope k + curvature k^2 / 2 + mean hinge loss of margins (1 - k) from_ + k to."""

class SgdRandom(LinearSolver):
    """SGD-r."""

    def __init__(self, features: FeatureMatrix, *, lambda_: float, seed: int) -> None: ...

class SgdPasses(LinearSolver):
    """SGD-s and SGD-m."""

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
        """Return the updates by each class-ordered example, (n,)."""
    @property
    def checks(self) -> int:
        """Times that the primal objective was computed."""

class SgdPasses32(LinearSolver):
    """The same with weights of float32."""

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
    def updates(self) -> NDArray[np.uint32]: ...
    @property
    def checks(self) -> int: ...

def multiple_update(
    *, threshold: float, lambda_: float, response: float, squared_norm: float, multiplicity: int
) -> int:
    """Return the updates in so many presentations in a row, at thresholds that rise by lambda from one to the next."""

class Dcd(LinearSolver):
    """Dual coordinate descent."""

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
        """Return the dual variables of the class-ordered examples, (n,), in [0, C]."""
