"""The instrumented core: kernels, counted rows, water levels and solvers.

Types only, written by `make stub`: the texts are in the module, where `help(_core)` shows them.
"""

import enum
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class _Class(type):
    """What pybind11 makes classes with."""

class InvalidArgument(ValueError): ...  # noqa: N818

def build_info() -> dict[str, Any]: ...
def set_gemm(sgemm: object, dgemm: object) -> None: ...

class Purpose(enum.Enum):
    sampling = 1
    order = 2
    features = 3
    data = 4

def philox4x32(counter: Sequence[int], key: Sequence[int]) -> list[int]: ...

class Random(metaclass=_Class):
    def __init__(self, seed: int, purpose: Purpose) -> None: ...
    def bits64(self) -> int: ...
    def below(self, bound: int) -> int: ...
    def uniform(self) -> float: ...
    def normal(self, size: int) -> NDArray[np.float64]: ...
    def permutation(self, size: int) -> NDArray[np.uint32]: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...

class Matrix(metaclass=_Class):
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
    def __init__(self, kind: KernelFunction.Kind, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1) -> None: ...
    class Kind(enum.Enum):
        gaussian = 0
        polynomial = 1
        linear = 2

    def require_range(self, square: float) -> None: ...
    def require_resolution(self, square: float) -> None: ...

def fill_gram(
    kernel: KernelFunction,
    matrix: Matrix,
    out: NDArray[np.float32],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> int: ...
def fill_features(
    kernel: KernelFunction,
    matrix: Matrix,
    basis: Matrix,
    projection: NDArray[np.float32],
    out: NDArray[np.float32],
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> tuple[float, int]: ...

class Counters(metaclass=_Class):
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

class RowSource(metaclass=_Class):
    @property
    def size(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def diagonal(self) -> NDArray[np.float32]: ...
    def row(self, i: int) -> NDArray[np.float32]: ...

class GramRows(RowSource):
    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, gram: NDArray[np.float32]) -> None: ...
    def expand(
        self, support: NDArray[np.uint32], coefficients: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]: ...

class CachedRows(RowSource):
    def __init__(self, kernel: KernelFunction, matrix: Matrix, positives: int, capacity: int) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def computed(self) -> int: ...

class CountedRows(metaclass=_Class):
    def __init__(self, source: RowSource) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def positives(self) -> int: ...
    def diagonal(self, i: int) -> float: ...
    def row(self, i: int) -> NDArray[np.float32]: ...
    def label(self, i: int) -> float: ...
    def present(self, examples: int = 1) -> None: ...
    @property
    def counters(self) -> Counters: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...

class Accounting(enum.Enum):
    kept = 0
    on_demand = 1

def expand(
    kernel: KernelFunction, support: Matrix, evaluation: Matrix, coefficients: NDArray[np.float64], threads: int = 1
) -> NDArray[np.float64]: ...
def seconds_of_row_additions(rows: RowSource, repetitions: int, seed: int) -> float: ...

class FeatureMatrix(metaclass=_Class):
    def __init__(self, rows: Matrix, positives: int) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def positives(self) -> int: ...
    @property
    def largest_norm(self) -> float: ...

def frequency_order(indices: NDArray[np.int32], columns: int) -> NDArray[np.int64]: ...
def renumber_columns(
    offsets: NDArray[np.int64], numbers: NDArray[np.int32], indices: NDArray[np.int32], values: NDArray[np.float32]
) -> None: ...

class CountedFeatures(metaclass=_Class):
    def __init__(self, matrix: FeatureMatrix) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def positives(self) -> int: ...
    def row(self, i: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]: ...
    def column(self, j: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]: ...
    def label(self, i: int) -> float: ...
    def present(self, examples: int = 1) -> None: ...
    @property
    def counters(self) -> Counters: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...

def water_levels(responses: NDArray[np.float64], positives: int, volume: float, bias: bool) -> tuple[float, float]: ...
def water_levels_sorted(
    responses: NDArray[np.float64], positives: int, volume: float, bias: bool
) -> tuple[float, float]: ...

class Status(enum.Enum):
    iterations = 0
    presentations = 1
    kernel_evaluations = 2
    inner_products = 3
    feature_accesses = 4
    cpu_seconds = 5
    converged = 6

class Solver(metaclass=_Class):
    def advance(
        self,
        *,
        iterations: int = ...,
        presentations: int = ...,
        kernel_evaluations: int = ...,
        inner_products: int = ...,
        feature_accesses: int = ...,
        cpu_seconds: float = ...,
    ) -> Status: ...
    @property
    def counters(self) -> Counters: ...
    @property
    def cpu_seconds(self) -> float: ...
    @property
    def wall_seconds(self) -> float: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...

class KernelSolver(Solver):
    def coefficients(self) -> NDArray[np.float64]: ...
    def responses(self) -> NDArray[np.float64] | None: ...
    @property
    def bias(self) -> float: ...

class Perceptron(KernelSolver):
    def __init__(self, rows: RowSource, *, seed: int) -> None: ...

class Sbp(KernelSolver):
    def __init__(
        self, rows: RowSource, *, seed: int, nu: float, bias: bool = False, pairs: bool = True, eta: float = 0.0
    ) -> None: ...
    @property
    def level(self) -> float: ...

class Pegasos(KernelSolver):
    def __init__(
        self,
        rows: RowSource,
        *,
        seed: int,
        lambda_: float,
        project: bool = False,
        accounting: Accounting = Accounting.on_demand,
    ) -> None: ...

class Sdca(KernelSolver):
    def __init__(
        self, rows: RowSource, *, seed: int, C: float, accounting: Accounting = Accounting.on_demand
    ) -> None: ...

class Smo(KernelSolver):
    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 0.001) -> None: ...

class SmoWithBias(KernelSolver):
    def __init__(self, rows: RowSource, *, C: float, tolerance: float = 0.001) -> None: ...

class SvmLight(KernelSolver):
    def __init__(
        self,
        rows: RowSource,
        *,
        C: float,
        bias: bool = False,
        tolerance: float = 0.001,
        working_set: int = 10,
        shrink_after: int = 100,
    ) -> None: ...
    @property
    def active(self) -> int: ...

class Lasvm(KernelSolver):
    def __init__(
        self,
        rows: RowSource,
        *,
        seed: int,
        C: float,
        bias: bool = False,
        tolerance: float = 0.001,
        passes: int = 1,
        delta_max: float = ...,
    ) -> None: ...
    @property
    def expansion(self) -> int: ...
    @property
    def finishing(self) -> bool: ...

def box_qp(
    gradient: NDArray[np.float64],
    H: NDArray[np.float64],
    *,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    balanced: bool,
) -> NDArray[np.float64]: ...

class LinearSolver(Solver):
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def bias(self) -> float: ...
    @property
    def lower_bound(self) -> float | None: ...

class LinearPegasos(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, seed: int, lambda_: float, project: bool = False) -> None: ...

class Simba(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        nu: float,
        bias: bool = False,
        horizon: int = 0,
        printed_rate: bool = False,
        clip: bool = True,
    ) -> None: ...
    @property
    def divisor(self) -> float: ...
    def last_weights(self) -> NDArray[np.float64]: ...
    def distribution(self) -> NDArray[np.float64]: ...

class SgdRandom(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, seed: int, lambda_: float) -> None: ...

class SgdPasses(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        lambda_: float,
        eps: float,
        check_factor: float,
        multiplicities: Sequence[int],
    ) -> None: ...
    def updates(self) -> NDArray[np.uint32]: ...
    @property
    def checks(self) -> int: ...

class SgdPasses32(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        lambda_: float,
        eps: float,
        check_factor: float,
        multiplicities: Sequence[int],
    ) -> None: ...
    def updates(self) -> NDArray[np.uint32]: ...
    @property
    def checks(self) -> int: ...

def multiple_update(
    *, threshold: float, lambda_: float, response: float, squared_norm: float, multiplicity: int
) -> int: ...

class Dcd(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        C: float,
        eps: float,
        shrinking: bool = True,
        permutation: bool = True,
    ) -> None: ...
    def alpha(self) -> NDArray[np.float64]: ...

class SvmSgd(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, seed: int, lambda_: float, t0: float | None = None) -> None: ...
    @property
    def t0(self) -> float | None: ...

class SvmSgd32(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, seed: int, lambda_: float, t0: float | None = None) -> None: ...
    @property
    def t0(self) -> float | None: ...

class SgdQnVariant(enum.Enum):
    corrected = 0
    original = 1

class SgdQn(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        lambda_: float,
        variant: SgdQnVariant = SgdQnVariant.corrected,
        t0: float | None = None,
        skip: int = 16,
        tuning_passes: int = 10,
        permutation: bool = True,
        restart: bool = True,
    ) -> None: ...
    @property
    def t0(self) -> float | None: ...
    @property
    def period(self) -> int: ...

class SgdQn32(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        lambda_: float,
        variant: SgdQnVariant = SgdQnVariant.corrected,
        t0: float | None = None,
        skip: int = 16,
        tuning_passes: int = 10,
        permutation: bool = True,
        restart: bool = True,
    ) -> None: ...
    @property
    def t0(self) -> float | None: ...
    @property
    def period(self) -> int: ...

class Mpu(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, seed: int, lambda_: float, eps: float = 0.01) -> None: ...
    def alpha(self) -> NDArray[np.float64]: ...
    @property
    def parts(self) -> int: ...

class Asset(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        lambda_: float,
        strongly_convex: bool = False,
        bound: float | None = None,
        step: float = 1.0,
        window: int = 100,
        samples: int = 100,
        one_pass: bool = False,
    ) -> None: ...
    def average(self) -> tuple[NDArray[np.float64], float]: ...
    def last_weights(self) -> NDArray[np.float64]: ...
    @property
    def last_bias(self) -> float: ...
    @property
    def deviation(self) -> float: ...
    def step_length(self, j: int) -> float: ...

class AssetStream(Solver):
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
    def expected(self) -> int: ...
    @property
    def fed(self) -> int: ...
    def feed(self, rows: NDArray[np.float32], labels: NDArray[np.int8], stored: NDArray[np.uint32]) -> None: ...
    def average(self) -> tuple[NDArray[np.float64], float]: ...
    def last_weights(self) -> NDArray[np.float64]: ...
    @property
    def last_bias(self) -> float: ...
    @property
    def deviation(self) -> float: ...
    def step_length(self, j: int) -> float: ...

class Averaging(enum.Enum):
    last = 0
    tail = 1
    decaying = 2

class SdcaVariant(enum.Enum):
    naive = 0
    safe = 1
    aggressive = 2

class RandomSubsets(metaclass=_Class):
    def __init__(self, size: int, count: int, seed: int) -> None: ...
    def next(self) -> NDArray[np.uint32]: ...

class Shard(metaclass=_Class):
    def __init__(self, rank: int, ranks: int, size: int, largest_norm: float) -> None: ...

class MiniBatchSolver(LinearSolver):
    @property
    def threads(self) -> int: ...

class MiniBatchPegasos(MiniBatchSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        shard: Shard | None = None,
        all_reduce: Callable[[NDArray[np.float64]], None] | None = None,
        lambda_: float,
        batch_size: int,
        average: Averaging = Averaging.last,
        threads: int = 1,
    ) -> None: ...

class MiniBatchSdca(MiniBatchSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        shard: Shard | None = None,
        all_reduce: Callable[[NDArray[np.float64]], None] | None = None,
        lambda_: float,
        batch_size: int,
        average: Averaging = Averaging.last,
        threads: int = 1,
        variant: SdcaVariant,
        beta: float = 1.0,
        gamma: float = 0.95,
    ) -> None: ...
    def alpha(self) -> NDArray[np.float64]: ...
    def lower_bound_of(self, sum_of_alpha: float) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def refused(self) -> int: ...

class SvmPerf(LinearSolver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        lambda_: float,
        eps: float,
        relative: bool = True,
        qp_precision: float = 0.001,
        idle_cuts: int | None = 50,
    ) -> None: ...

class Ocas(LinearSolver):
    def __init__(self, features: FeatureMatrix, *, lambda_: float, eps: float, mu: float) -> None: ...

class Cpsp(Solver):
    def __init__(
        self,
        features: FeatureMatrix,
        *,
        seed: int,
        gamma: float,
        lambda_: float,
        eps: float,
        capacity: int,
        starts: int = 1,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def point(self, j: int) -> NDArray[np.float32]: ...
    def weights(self) -> NDArray[np.float64]: ...
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def lower_bound(self) -> float: ...

class SimplexQp(metaclass=_Class):
    def __init__(self) -> None: ...
    def add(self, beta: float, products: NDArray[np.float64]) -> None: ...
    def solve(self, tolerance: float) -> None: ...
    @property
    def solution(self) -> NDArray[np.float64]: ...
    @property
    def value(self) -> float: ...
    @property
    def gap(self) -> float: ...

def hinge_line_minimum(
    from_: NDArray[np.float64], to: NDArray[np.float64], *, slope: float, curvature: float
) -> float: ...

class ElasticDeformation(metaclass=_Class):
    def __init__(self, *, sigma: float, alpha: float, seed: int) -> None: ...
    def images(
        self, bases: NDArray[np.uint8], which: NDArray[np.uint32], stream: int, numbers: NDArray[np.uint32]
    ) -> NDArray[np.uint8]: ...
    def field(self, stream: int, number: int) -> NDArray[np.int64]: ...
