"""scikit-learn estimators of the solvers; written by tests/solvers/estimators_stub.py."""

from typing import Literal

import numpy as np

from .classifier import SolverClassifier

__all__ = ["all_classifiers"]

def all_classifiers() -> dict[str, type[SolverClassifier]]: ...

class ASSETClassifier(SolverClassifier):
    """ASSET: stochastic subgradient steps on Nystrom features, averaged (Lee, Wright 2011).

    Algorithm 1: projected steps D_X / (D_G sqrt(j)) on examples drawn with replacement; averages the last iterates.

    D_X = sqrt(1/lambda + B^2), with B = 0 without intercept. D_G^2 is the mean of |v|^2 + 1 over `samples` examples: at
    w = 0 all of them violate the margin. Norms of rows are known in advance and cost nothing.

    Parameters
    ----------
    features : a whole number, default 512
        s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s.
    eps_d : a finite number, default 1e-16
        Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32.
    window : a whole number, default 100
        The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate.
    step : a finite number, default 1.0
        The steps are this times D_X / (D_G sqrt(j)).
    samples : a whole number, default 100
        M: number of examples from which D_G^2 is estimated, before the first step.
    intercept_bound : a finite number, default 10.0
        B: the intercept stays in [-B, B]; used with bias=true.
    """

    def __init__(
        self,
        *,
        features: int = 512,
        eps_d: float = 1e-16,
        window: int = 100,
        step: float = 1.0,
        samples: int = 100,
        intercept_bound: float = 10.0,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ASSETOnlineClassifier(SolverClassifier):
    """ASSET on a stream of random Fourier features, one pass (Lee, Wright 2011).

    ASSET on a stream: steps D_X / (D_G sqrt(j)), projected, the last iterates averaged.

    Parameters
    ----------
    features : a whole number, default 1024
        d: number of random cosines, at least 1.
    window : a whole number, default 100
        The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate.
    step : a finite number, default 1.0
        The steps are this times D_X / (D_G sqrt(j)).
    samples : a whole number, default 100
        M: D_G^2 is estimated from this many first examples of the stream.
    intercept_bound : a finite number, default 10.0
        B: the intercept stays in [-B, B]; used with bias=true.
    """

    def __init__(
        self,
        *,
        features: int = 1024,
        window: int = 100,
        step: float = 1.0,
        samples: int = 100,
        intercept_bound: float = 10.0,
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        C: float | None = None,
        lambda_: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ASSETStarClassifier(SolverClassifier):
    """ASSET*: Pegasos with projection on Nystrom features (Lee, Wright 2011).

    ASSET*, without intercept: steps 1 / (lambda j), which is Pegasos with projection on the features.

    Parameters
    ----------
    features : a whole number, default 512
        s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s.
    eps_d : a finite number, default 1e-16
        Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32.
    window : a whole number, default 100
        The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate.
    """

    def __init__(
        self,
        *,
        features: int = 512,
        eps_d: float = 1e-16,
        window: int = 100,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ASSETStarOnlineClassifier(SolverClassifier):
    """ASSET* on a stream of random Fourier features, one pass (Lee, Wright 2011).

    ASSET* on a stream, without intercept: steps 1 / (lambda j), projected.

    Parameters
    ----------
    features : a whole number, default 1024
        d: number of random cosines, at least 1.
    window : a whole number, default 100
        The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate.
    """

    def __init__(
        self,
        *,
        features: int = 1024,
        window: int = 100,
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AveragedPerceptronClassifier(SolverClassifier):
    """Kernel Perceptron, mean of all iterates (Freund, Schapire 1999).

    Its predictor is the mean of all iterates of `Perceptron`; examples and mistakes are the same for one seed.

    Averaging turns the mistake bound of the online method into a bound on the test error (online-to-batch conversion).
    """

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CPNYClassifier(SolverClassifier):
    """CPNY: one-slack cutting planes on Nystrom features (SVM-Perf 3.0).

    One-slack cutting planes as in `svmperf`, on rows of features; an iteration adds one cut, with n presentations.

    SVM-Perf 3.0 stops when the newest cut is violated by at most ``-e`` = 0.1. Its loss is the error rate in percent,
    so the objective J on the features then exceeds their optimum by at most 0.001. This solver has the same absolute
    stopping rule. SVM-Perf decomposes K_SS by Cholesky, without ``eps_d``; the span of the sample is the same.

    SVM-Perf solves its inner problem by decomposition, to about a half to a fifth of the gap. Here an active-set method
    with a Cholesky factor solves it. `qp_precision`, `eigenvalue_threshold` and `idle_cuts` can be changed to see what
    they contribute.

    `lower_bound`, the best value of the master problem, is a lower bound on the optimum over the features. It is not
    recorded: features restrict w to the span of the sample, so the optimum over them lies above that of the kernel
    problem, and a lower bound on the first is not one on the second. The recorded objective is, up to rounding, the
    kernel problem's at this w, and so an upper bound on both optima.

    Parameters
    ----------
    features : a whole number, default 512
        s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s.
    eps_d : a finite number, default 1e-16
        Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32.
    eps : a finite number, default 0.001
        Stops when the next cut is violated by at most eps, in units of the mean hinge loss. SVM-Perf: 0.1 percent.
    eigenvalue_threshold : a finite number or None, default None
        Eigenvalues below this times max K(x, x) are dropped. None: sqrt(s) 2^-23, the rounding errors of float32;
        0: only eps_d counts, and features that are rounding errors remain.
    qp_precision : a finite number, default 0.001
        Between 0 and 1: the master problem is solved to this times J - L, the gap that the next cut has to close.
    idle_cuts : a whole number or None, default 50
        A cut whose weight has been 0 in this many master problems in a row is removed; None: none is. SVM-Perf: 50.
    """

    def __init__(
        self,
        *,
        features: int = 512,
        eps_d: float = 1e-16,
        eps: float = 0.001,
        eigenvalue_threshold: float | None = None,
        qp_precision: float = 0.001,
        idle_cuts: int | None = 50,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CPSPClassifier(SolverClassifier):
    """CPSP: cutting planes in the span of a few kernel functions (Joachims, Yu 2009).

    One-slack cutting planes with weights in the span of at most `features` kernel functions.

    The paper leaves these points open, or its program differs:

    - An iteration makes the cut at the present weights, from all examples with margins below 1, as `svmperf` does. If
      the basis is not full, one function is added for this cut, all cuts are projected on the larger span, and the
      master problem is solved with the new cut. Functions are never moved or removed.
    - The new function approximates the residual, the component of the newest cut orthogonal to the span. Its point z
      maximises <residual, phi(z)>^2 by the fixed-point iteration of Schoelkopf et al. (1999), from a random example of
      the cut. A step that would decrease the value is halved, so a search never ends below its start. With ``starts`` =
      59 the search starts at the best of 59 examples, which is among the best 5 % with probability 95 % (the paper's
      59/95 rule).
    - A point whose image has a squared distance below 10^-6 from the span is not added; the next cut tries again.
    - The run stops when the next cut is violated by at most ``eps``, also if the basis is not full. The objective J
      then exceeds the optimum over the present span by at most eps. SVM-Perf 3.0 has 0.1 in percent.
    - Only the Gaussian kernel is supported: for the polynomial kernel the fixed-point iteration differs, and the linear
      kernel needs no basis.

    The weights of a cut are stored as coordinates in an orthonormal basis of the span (a growing Cholesky factor). So
    is every training point, n s float32: a cut is then a sum of rows, as on any features.

    Kernel evaluations are charged: for a new basis function n, and one with each earlier function; in a search, at
    every point tried, one with each example of the cut and each basis function. Each is an inner product. Rows of k
    coordinates are charged as `svmperf` charges rows of features. A new function reads all rows once more, and one
    value for each example of each stored cut.

    `lower_bound`, the best master value, bounds the optimum over the present span. The optimum of the kernel problem is
    lower, so the bound is not recorded.

    Parameters
    ----------
    features : a whole number, default 512
        Largest number of basis functions, from 1 to n: K(b, .) at points b that need not be training points.
    eps : a finite number, default 0.001
        Stops when the next cut is violated by at most eps, in units of the mean hinge loss. SVM-Perf: 0.1 percent.
    starts : a whole number, default 1
        The search for a preimage starts at the best of this many random examples of the cut.
    """

    def __init__(
        self,
        *,
        features: int = 512,
        eps: float = 0.001,
        starts: int = 1,
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class DCDClassifier(SolverClassifier):
    """DCD: dual coordinate descent, the method of LIBLINEAR (Hsieh et al. 2008).

    Each step solves the dual exactly in one coordinate (Algorithms 1 and 3). Skipped coordinates cost nothing.

    Parameters
    ----------
    eps : a finite number, default 0.001
        Stops when (P - D) / D <= eps.
    shrinking : True or False, default True
        Skip coordinates that are expected to stay at their bounds (section 3.2).
    permutation : True or False, default True
        Whether each epoch has a new random order.
    """

    def __init__(
        self,
        *,
        eps: float = 0.001,
        shrinking: bool = True,
        permutation: bool = True,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class FourierClassifier(SolverClassifier):
    """Random Fourier features and the exact linear SVM on them (Rahimi, Recht 2007).

    One iteration solves the linear SVM on the next k = 1, 2, 4, ... pairs to its optimum.

    As in the paper, only the features are charged: k n inner products in all, because the first k of 2k frequencies are
    those of the iteration before. Optimising the linear SVM is not charged. `cpu_seconds` is the CPU time of the whole
    process: the features are matrix products on several threads.

    Parameters
    ----------
    pairs : a whole number, default 1024
        Largest number k of (cos, sin) pairs; iterations have k = 1, 2, 4, ...
    relative_gap : a finite number, default 0.0001
        Relative duality gap to which each linear SVM is solved.
    max_epochs : a whole number, default 2000
        A linear SVM gets at most this many passes of dual coordinate descent, whatever its gap.
    """

    def __init__(
        self,
        *,
        pairs: int = 1024,
        relative_gap: float = 0.0001,
        max_epochs: int = 2000,
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        C: float | None = None,
        lambda_: float | None = None,
        iterations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class LASVMClassifier(SolverClassifier):
    """LASVM: online SMO in one pass, then finishing (Bordes, Ertekin, Weston, Bottou 2005).

    Online SMO: PROCESS adds a new example to the expansion, REPROCESS optimises the expansion and removes members.

    Gradients are stored for members only. A new example costs one evaluation for each member. A row over the expansion
    costs the same: with bias PROCESS needs one such row and REPROCESS two; without bias single coordinates change, and
    they need none and one. An iteration is PROCESS and REPROCESS of one example; when finishing it is one REPROCESS,
    which changes two coordinates, or one without bias.

    Parameters
    ----------
    tolerance : a finite number, default 0.001
        tau: pairs that violate the KKT conditions by at most tau are skipped; finishing stops when delta <= tau.
    passes : a whole number, default 1
        Passes over the examples, each in a new random order, before finishing, which optimises the expansion only.
        After one pass the dual objective is about 1 % below the optimum on Adult and MNIST, after two at most 0.02
        %. 0: passes and finishing alternate until a pass changes nothing; that is the optimum of the whole problem.
    delta_max : a finite number or None, default None
        After each example REPROCESS is repeated while delta is larger than this; None: it is done once.
    drop_below : a finite number, default 0.0
        From 0 to 1. The predictor leaves out coefficients below this share of the largest one, in magnitude; the
        training keeps them. The authors' program has 0.001 when it saves its model. With a bias the recorded dual
        objective and gap are then missing: the rest of the coefficients is no feasible point of the dual.
    """

    def __init__(
        self,
        *,
        tolerance: float = 0.001,
        passes: int = 1,
        delta_max: float | None = None,
        drop_below: float = 0.0,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class LIBLINEARClassifier(SolverClassifier):
    """LIBLINEAR through scikit-learn, for running times (Fan et al. 2008).

    Dual coordinate descent with shrinking, to LIBLINEAR's own stopping rule.

    An iteration is a pass over the examples that are not shrunk. LIBLINEAR does not report how many those are, and late
    passes may have almost none. So presentations are not counted, and a budget in epochs does not limit the run.

    LIBLINEAR gets the points in float64 as CSR; this conversion is done once and not timed. Its own copy of them (16
    bytes a value) and scikit-learn's checks happen inside each call and are timed. They take as long as one to four
    passes over all examples: some percent of a run to LIBLINEAR's own stop, 10 to 25 % of a run of ten passes.

    Parameters
    ----------
    tolerance : a finite number, default 0.0001
        LIBLINEAR's eps: it stops when the projected gradients of the dual differ by at most this.
    """

    def __init__(
        self,
        *,
        tolerance: float = 0.0001,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        iterations: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class LIBSVMClassifier(SolverClassifier):
    """LIBSVM through scikit-learn, for running times (Chang, Lin 2011).

    One call that runs to LIBSVM's own stopping rule. It cannot be interrupted and counts no kernel evaluations.

    Parameters
    ----------
    tolerance : a finite number, default 0.001
        LIBSVM's eps: it stops when the two largest violations of KKT conditions add up to less.
    cache_mb : a whole number, default 0
        LIBSVM's kernel cache in MB; 0 takes three quarters of the run's memory.
    shrinking : True or False, default True
        LIBSVM's shrinking heuristic.
    """

    def __init__(
        self,
        *,
        tolerance: float = 0.001,
        cache_mb: int = 0,
        shrinking: bool = True,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        iterations: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class MiniBatchPegasosClassifier(SolverClassifier):
    """Mini-batch Pegasos (Takac, Bijral, Richtarik, Srebro 2013).

    Algorithm 1: the subgradient of a random subset of b examples, with steps 1 / (lambda t).

    Parameters
    ----------
    batch_size : a whole number, default 64
        b: number of examples in an iteration.
    average : "last", "tail" or "decaying", default "tail"
        tail: the mean of the iterates after the 2^m-th, for the largest m with 2^(m + 1) <= T.
    threads : a whole number, default 1
        Number of threads that share the examples of an iteration. The result does not depend on it.
    """

    def __init__(
        self,
        *,
        batch_size: int = 64,
        average: Literal["last", "tail", "decaying"] = "tail",
        threads: int = 1,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class MiniBatchSDCAClassifier(SolverClassifier):
    """Mini-batch SDCA: naive, safe or aggressive (Takac, Bijral, Richtarik, Srebro 2013).

    Equation (15) and Algorithm 2: updates the dual variables of b random examples from the same weights.

    If a norm is larger than 1, all rows are divided by the largest norm, and lambda by its square: this is the same
    problem. A row is charged once for each presentation, also if the aggressive variant reads it several times.

    Parameters
    ----------
    variant : "naive", "safe" or "aggressive", default "aggressive"
        naive, safe or aggressive.
    batch_size : a whole number, default 64
        b: number of examples in an iteration.
    gamma : a finite number, default 0.95
        Weight of the past in the aggressive variant's beta; the paper's value.
    average : "last", "tail" or "decaying", default "last"
        last, tail or decaying; the paper draws curves of the decaying average.
    threads : a whole number, default 1
        Number of threads that share the examples of an iteration. The result does not depend on it.
    """

    def __init__(
        self,
        *,
        variant: Literal["naive", "safe", "aggressive"] = "aggressive",
        batch_size: int = 64,
        gamma: float = 0.95,
        average: Literal["last", "tail", "decaying"] = "last",
        threads: int = 1,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class MPUClassifier(SolverClassifier):
    """Margin perceptron with unlearning: dual ascent in whole steps (Panagiotakopoulos, Tsampouka 2010).

    A perceptron with margin that counts how often each example was added, and removes examples added too often.

    This project's reading: ascent of the dual of the lambda form in whole steps. The dual variables are alpha_k = c_k
    s, s = C / q, with whole numbers 0 <= c_k <= q, and w = s sum c_k y_k x_k. In passes over fresh permutations an
    example is learnt (c_k + 1) if y_k <w, x_k> < 1 - s |x_k|^2 / 2, and unlearnt (c_k - 1) if y_k <w, x_k> > 1 + s
    |x_k|^2 / 2. Each change increases the dual objective, which is always a lower bound on the objective.

    The schedule of s is this project's too. At first q is the smallest power of two with s |x|^2 <= 1 for all rows. It
    is doubled after a pass in which no example would have been changed twice in succession, or which did not increase
    the dual. If the margins of a pass suggest that eps is reached, the objective is computed, at one inner product with
    each row. The run also ends at q = 2^40: float64 then cannot reach eps.

    Parameters
    ----------
    eps : a finite number, default 0.01
        Stops at the end of a pass when (J - L) / L <= eps; J is the objective and L the dual objective.
    """

    def __init__(
        self,
        *,
        eps: float = 0.01,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class OCASClassifier(SolverClassifier):
    """OCAS: cutting planes with an exact line search (Franc, Sonnenburg 2008).

    Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The best weights move to the exact minimum of the objective on the line to the minimum of the master problem.

    Parameters
    ----------
    eps : a finite number, default 0.01
        Stops when (J - L) / L <= eps; J is the objective and L the largest master value so far.
    mu : a finite number, default 0.1
        In (0, 1]: the next cut is made at best + mu (master - best), for the best weights and the master's.
    """

    def __init__(
        self,
        *,
        eps: float = 0.01,
        mu: float = 0.1,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PegasosClassifier(SolverClassifier):
    """Pegasos: stochastic subgradient steps on the primal (Shalev-Shwartz et al. 2011).

    Stochastic subgradient steps of length 1 / (lambda t) on the lambda form; examples uniform with replacement.

    With the linear kernel the weights are explicit: an iteration reads one row, and no kernel is evaluated.

    Parameters
    ----------
    project : True or False, default False
        Project onto ||w|| <= 1 / sqrt(lambda) after each step.
    accounting : "on_demand" or "kept", default "on_demand"
        on_demand: a response costs one kernel evaluation for each support vector; kept: an added example costs n.
    """

    def __init__(
        self,
        *,
        project: bool = False,
        accounting: Literal["on_demand", "kept"] = "on_demand",
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PerceptronClassifier(SolverClassifier):
    """Kernel Perceptron, any number of passes (Rosenblatt 1958).

    A new random order each epoch; if y f(x) <= 0, y K(x, .) is added, at n kernel evaluations.
    """

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SBPClassifier(SolverClassifier):
    """Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012).

    Stochastic supergradient ascent on the water level (Algorithm 1; with bias section 3.6).

    The response of example i is c_i = y_i f(x_i). The water level is the gamma at which the sum of max(0, gamma - c_i)
    is the volume n nu; examples with c_i below it are covered. An iteration finds the level, draws a covered example,
    and adds it to the predictor, for n kernel evaluations. The predictor is the average iterate divided by its own
    water level. With a bias each class has a level, and both have equally many covered examples; responses equal to a
    level may be more than that, and then share what those below the level leave (section 3.2).

    Parameters
    ----------
    draws : "pairs" or "single", default "pairs"
        With bias: an iteration draws one point of each class, each with half the step (2n evaluations), or one (n).
    eta : a finite number, default 0.0
        eta_0 in eta_t = eta_0 / sqrt(t); 0 means 1 / sqrt(max_i K(x_i, x_i)) (Algorithm 1, line 1).
    """

    def __init__(
        self,
        *,
        draws: Literal["pairs", "single"] = "pairs",
        eta: float = 0.0,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        nu: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SDCAClassifier(SolverClassifier):
    """Stochastic dual coordinate ascent (Hsieh et al. 2008).

    Draws examples uniformly with replacement; sets alpha to the exact maximum of the dual, clipped to [0, C].

    Parameters
    ----------
    accounting : "on_demand" or "kept", default "on_demand"
        on_demand: a response costs one kernel evaluation for each support vector; kept: a changed alpha costs n.
    """

    def __init__(
        self,
        *,
        accounting: Literal["on_demand", "kept"] = "on_demand",
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGDMClassifier(SolverClassifier):
    """SGD-m: SGD-s with multiple updates (Panagiotakopoulos, Tsampouka 2013).

    SGD-s with multiple updates: an example is presented several times in a row at the price of one inner product.

    An epoch of multiplicity ell counts as ell epochs: in `presentations`, in t and in the bound.

    Parameters
    ----------
    eps : a finite number, default 0.01
        Stops at the end of an epoch when (J - L) / L <= eps; J is the objective, L a lower bound on its optimum.
    check_factor : a finite number, default 1.2
        J takes a pass: it is computed when its estimate is below this many eps. Our text of the paper has lost its
        value.
    precision : "float64" or "float32", default "float64"
        Arithmetic of the weights. In float32 L has about five digits, after thousands of epochs three to four.
    multiplicity_schedule : a tuple of whole numbers, default (1, 5, 5, 5, 5, 1, 1, 1, 1)
        How often in a row an example is presented in the first epoch, the second, ..., periodically. Our text of
        the paper has lost its schedule; this one is from memory.
    """

    def __init__(
        self,
        *,
        eps: float = 0.01,
        check_factor: float = 1.2,
        precision: Literal["float64", "float32"] = "float64",
        multiplicity_schedule: tuple[int, ...] | list[int] = (1, 5, 5, 5, 5, 1, 1, 1, 1),
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGDRClassifier(SolverClassifier):
    """SGD-r: a perceptron with a growing margin (Panagiotakopoulos, Tsampouka 2013).

    A perceptron with the margin threshold lambda t at step t; examples uniform with replacement.
    """

    def __init__(
        self,
        *,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGDSClassifier(SolverClassifier):
    """SGD-s: SGD-r over permutations, which knows its accuracy (Panagiotakopoulos, Tsampouka 2013).

    SGD-r in complete epochs, each over a new permutation.

    After T epochs the number of updates by each example, times C/T, is a feasible point of the dual. Its objective L is
    a lower bound on the optimum that costs nothing, so the method can stop at a given accuracy.

    Parameters
    ----------
    eps : a finite number, default 0.01
        Stops at the end of an epoch when (J - L) / L <= eps; J is the objective, L a lower bound on its optimum.
    check_factor : a finite number, default 1.2
        J takes a pass: it is computed when its estimate is below this many eps. Our text of the paper has lost its
        value.
    precision : "float64" or "float32", default "float64"
        Arithmetic of the weights. In float32 L has about five digits, after thousands of epochs three to four.
    """

    def __init__(
        self,
        *,
        eps: float = 0.01,
        check_factor: float = 1.2,
        precision: Literal["float64", "float32"] = "float64",
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGDQNClassifier(SolverClassifier):
    """SGD-QN: stochastic steps with a diagonal quasi-Newton matrix (Bordes et al. 2009, 2010).

    Stochastic subgradient steps with a diagonal matrix G for the inverse Hessian.

    A margin error adds G y x to w. Every `skip` steps the regulariser subtracts skip lambda G w from it. The next step
    compares its gradient with that at the former w. The change of the gradient divided by the change of w_i is a
    curvature c_i, and lambda where neither has changed.

    - ``corrected``, the authors' program LibSGDQN: G_ii = 1 / (lambda t0) at first. When the loss of the example has
      appeared or vanished, 1 / G_ii grows by c_i times the steps since it grew last. c_i is clipped to [lambda / 10,
      100 lambda]; it is 101 lambda if w_i did not change and x_i is not 0. t0 is a power of ten, and at least the steps
      between two actions of the regulariser, or 1 if it never acts. It is chosen on a tenth of the examples (at least
      1,000, at most 10,000), in `tuning_passes` passes for each trial. The program tries 1, 10, ..., 10^10; here the
      search begins near 1 / (lambda times the first step of `SvmSgd`) and ends when the objective rises.
    - ``original``, the algorithm of 2009: G = B / (t + t0). B_ii, 1 / lambda at first, is changed by 2 / r times its
      difference to 1 / c_i, r = 2, 3, ..., and clipped to [1 / (100 lambda), 1 / lambda]. The erratum says that
      averages of such ratios learn less of the curvature than intended. t0 is chosen as in `SvmSgd`.

    The choice of t0 is charged as in `SvmSgd`. The inner product with the former w, once every `skip` steps, is charged
    as well. The O(d) operations read no training features: they are timed only.

    Parameters
    ----------
    variant : "corrected" or "original", default "corrected"
        corrected: the authors' program (erratum of 2010); original: the algorithm of 2009.
    t0 : a finite number or None, default None
        The first steps have length 1 / (lambda t0). None: t0 is chosen on a sample.
    skip : a whole number, default 16
        The regulariser acts once in this many steps on dense rows. It costs O(d). So, as in the authors' programs,
        the number is multiplied by d / (mean stored coordinates of a row), and rounded.
    tuning_passes : a whole number, default 10
        Corrected variant: passes over the sample in a trial of a t0, from 1 to 100. The authors' program makes as
        many as the run will make, and does not count them in its time; here they are charged.
    permutation : True or False, default True
        Whether each epoch has a new random order. The authors' program has one order for all epochs.
    restart : True or False, default True
        Corrected variant: each epoch counts the steps to the regulariser's next action anew, as in the authors'
        program. If there are more of them than examples, as in wide sparse data, the regulariser never acts.
    precision : "float64" or "float32", default "float64"
    """

    def __init__(
        self,
        *,
        variant: Literal["corrected", "original"] = "corrected",
        t0: float | None = None,
        skip: int = 16,
        tuning_passes: int = 10,
        permutation: bool = True,
        restart: bool = True,
        precision: Literal["float64", "float32"] = "float64",
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SIMBAClassifier(SolverClassifier):
    """SIMBA: sublinear learning, one row and one column a step (Hazan, Koren, Srebro 2011).

    Sublinear Importance-sampling Bi-stochastic Algorithm on the slack-constrained form (Algorithm 1).

    An iteration draws one row by the examples' importance and adds it to the weights; then it draws one column by the
    squared weights and updates the importance of all examples. The predictor is the mean of all iterates, divided by
    its water level. If a norm is larger than 1, all rows and nu are divided by the largest norm.

    Parameters
    ----------
    horizon : a whole number or None, default None
        T of Algorithm 1: the steps are constant, eta = sqrt(log(n) / T), and the run ends after T iterations. None:
        no horizon, eta_t as `learning_rate` says (section 6).
    learning_rate : "corrected" or "printed", default "corrected"
        corrected: eta_t = sqrt(log(n) / t); printed: sqrt(log n) / t. Without horizon only.
    clip : True or False, default True
        Whether estimates are limited to [-1 / eta, 1 / eta] (Algorithm 1, line 10).
    """

    def __init__(
        self,
        *,
        horizon: int | None = None,
        learning_rate: Literal["corrected", "printed"] = "corrected",
        clip: bool = True,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        nu: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SklearnNystroemClassifier(SolverClassifier):
    """scikit-learn's Nystroem and SGDClassifier, for running times (Pedregosa et al. 2011).

    Computes Nystroem's features of s sampled points, then makes passes of SGDClassifier, as `sklearn_sgd`.

    An iteration is a pass. There is no stopping rule. Each run computes the features again, and is timed with them.

    Points, kernel values, features and weights are float64, because scikit-learn keeps eigenvalues down to 1e-12, and
    those of a float32 matrix are noise. Points are converted once, which is not timed. One thread works.

    Parameters
    ----------
    features : a whole number, default 512
        s: number of sampled training points, from 1 to n.
    """

    def __init__(
        self,
        *,
        features: int = 512,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SklearnSGDClassifier(SolverClassifier):
    """scikit-learn's SGDClassifier, for running times (Pedregosa et al. 2011).

    Bottou's SGD: steps 1/(lambda (t + t0)), lazy scaling, a new order for each pass; returns the last iterate.

    An iteration is a pass. Its stopping rule is switched off: it tests the losses of examples, not the objective.

    Points are float32, and so are scikit-learn's weights then. If fewer than half of the values are not zero they are
    converted to CSR once, which is not timed. scikit-learn's checks of the points, and its sum of losses, happen inside
    each call and are timed.
    """

    def __init__(
        self,
        *,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SMOClassifier(SolverClassifier):
    """Sequential minimal optimisation, greedy (Platt 1998; with bias Fan, Chen, Lin 2005).

    Dual decomposition with the smallest working set.

    Without bias an iteration changes the coordinate with the largest gain of the dual after clipping, at n evaluations.
    With bias it changes two, chosen by second-order working set selection, at 2n evaluations.

    Parameters
    ----------
    tolerance : a finite number, default 0.001
        Stops when no KKT condition is violated by more; with a bias, when the two largest violations add up to no
        more (LIBSVM's eps). 0: runs to the budget or to rounding error.
    """

    def __init__(
        self,
        *,
        tolerance: float = 0.001,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SVMLightClassifier(SolverClassifier):
    """SVMlight: decomposition with working sets of ten, shrinking (Joachims 1999).

    Dual decomposition along the steepest feasible direction with q components (his section 3).

    The problem of the working set is solved exactly. An iteration reads q rows, restricted to the variables that are
    not shrunk (section 4). Before the run stops, shrunk variables return and their responses are computed again: this
    takes a row over them for each support vector, between two iterations.

    Parameters
    ----------
    tolerance : a finite number, default 0.001
        Stops when no KKT condition is violated by more; with a bias, when the two largest violations add up to no
        more (LIBSVM's eps). 0: runs to the budget or to rounding error.
    working_set : a whole number, default 10
        q, even: the number of variables that an iteration changes.
    shrink_after : a whole number, default 100
        h: a variable that was optimal at its bound for h iterations is shrunk; 0: none is. Optimal means by a
        margin, the largest violation: until the bias is accurate, a smaller margin can have the wrong sign.
    """

    def __init__(
        self,
        *,
        tolerance: float = 0.001,
        working_set: int = 10,
        shrink_after: int = 100,
        kernel: Literal["rbf", "poly", "linear"] = "rbf",
        sigma2: float | None = None,
        gamma: float | Literal["scale", "auto"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        bias: bool = False,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SVMPerfClassifier(SolverClassifier):
    """SVMperf: cutting planes (Joachims 2006).

    Cutting planes of the mean hinge loss, one in each iteration (n presentations).

    The weights are the minimum of the master problem, and the next cut is made there. A cut is removed once its weight
    in the master problem has been 0 for 50 iterations.

    Parameters
    ----------
    eps : a finite number, default 0.01
        Stops when (J - L) / L <= eps; J - L is the violation of the next cut.
    """

    def __init__(
        self,
        *,
        eps: float = 0.01,
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SVMSGDClassifier(SolverClassifier):
    """SVMSGD: stochastic subgradient steps 1 / (lambda (t + t0)), t0 from a sample (Bottou 2010).

    Stochastic subgradient steps of length 1 / (lambda (t + t0)) on the lambda form, examples in new permutations.

    w = v / divisor, so that scaling w takes O(1); v is divided by the divisor once that exceeds 10^5.

    If t0 is not given, the first step chooses it on min(n, 1000) random examples: t0 = 1 / (lambda eta0) with eta0 <=
    1 / lambda. eta0 starts at 1 / (mean squared norm), and is doubled, or else halved, as long as this decreases the
    objective on the sample after one pass over it. These passes and objectives are charged, as presentations too, and
    timed. Iterations are the steps after that.

    Parameters
    ----------
    t0 : a finite number or None, default None
        Steps are 1 / (lambda (t + t0)), t = 1, 2, ... None: t0 is chosen on a sample.
    precision : "float64" or "float32", default "float64"
    """

    def __init__(
        self,
        *,
        t0: float | None = None,
        precision: Literal["float64", "float32"] = "float64",
        rho: float = 0.0,
        C: float | None = None,
        lambda_: float | None = None,
        epochs: float | None = None,
        iterations: int | None = None,
        kernel_evaluations: int | None = None,
        inner_products: int | None = None,
        feature_accesses: int | None = None,
        cpu_seconds: float | None = None,
        evaluations: int = 10,
        memory: int | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...
