"""Arguments for calls of the compiled module, right and wrong ones, and states in which something has been changed."""

from __future__ import annotations

import random
import re
from typing import Any

import core_stub
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.solvers import _core

SIZES = (1, 2, 3, 5, 12)
INTEGERS = (-1, 0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30)
FLOATS = (0.0, -0.0, -1.0, 5e-324, 1e-300, 1e19, 1e150, 1e300, 1.7e308, float("inf"), float("-inf"), float("nan"))
OTHERS: tuple[Any, ...] = (None, "x", b"x", 1.5, 1j, (), [], {}, [None], object, np.array(["x"]), np.array([object()]))
WHOLE = (1, 2, 3, 4, 5, 10)
REAL = (0.01, 0.1, 0.5, 0.95, 1.0, 2.0)


class Refused(Exception):  # noqa: N818
    """Exception of a function that the core calls."""


class Arguments:
    """Arguments of calls that belong together: of each, a share is wrong.

    Attributes
    ----------
    share : float
        Share of arguments that are invalid.
    """

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.share = 0.1
        self.size = source.choice(SIZES)
        self._numbers = np.random.default_rng(source.getrandbits(32))
        self._given: list[NDArray[Any]] = []
        self._depth = 0

    def of(self, signature: core_stub.Signature) -> tuple[list[Any], dict[str, Any]]:
        """Return positional and named arguments."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in signature:
            if parameter.default is not parameter.empty and self.random.random() < 0.5:
                continue
            value = self.value(parameter.annotation)
            if parameter.kind is parameter.KEYWORD_ONLY or len(positional) < signature.index(parameter):
                named[parameter.name] = value
            else:
                positional.append(value)
        if self.random.random() < 0.1 * self.share:
            positional.append(None)
        if named and self.random.random() < 0.1 * self.share:
            del named[self.random.choice(list(named))]
        return positional, named

    def value(self, kind: str) -> Any:
        """Return a value for a parameter of this annotation."""
        options = [option.strip() for option in re.split(r"\|(?![^\[]*\])", kind)]
        option = self.random.choice(options)
        if self.random.random() < self.share:
            return self._wrong(option)
        return self._right(option)

    def object(self, name: str) -> Any:
        """Return an object of a class or of one derived from it; None where none could be made."""
        before, self.share = self.share, 0.0
        try:
            return self._object(name)
        finally:
            self.share = before

    def scribble(self) -> None:
        """Write over an array that has been given to the core."""
        if not self._given:
            return
        array = self.random.choice(self._given)
        if array.flags.writeable and array.size > 0:
            place = self.random.randrange(array.size)
            wrong = INTEGERS if array.dtype.kind in "iu" else FLOATS
            with np.errstate(all="ignore"):
                array.flat[place] = np.array(self.random.choice(wrong), dtype=object).astype(float).astype(array.dtype)

    def _right(self, kind: str) -> Any:
        stub = core_stub.read()
        if kind == "None":
            return None
        if kind == "bool":
            return self.random.random() < 0.5
        if kind == "int":
            return self.size if self.random.random() < 0.3 else self.random.choice(WHOLE)
        if kind == "float":
            return self.random.choice(REAL)
        if kind.startswith("NDArray"):
            return self._array(kind)
        if kind.startswith(("list[int]", "Sequence[int]")):
            return [self.random.choice(WHOLE) for _ in range(self.random.choice((1, 2, 4)))]
        if kind.startswith("Callable"):
            return self.random.choice((lambda *_: None, _raise, _overwrite, self._given.append))
        if kind.startswith("dict"):
            return {"v": np.zeros(self.size)}
        if kind in stub.enums:
            owner: Any = _core
            for part in kind.split("."):
                owner = getattr(owner, part)
            return getattr(owner, self.random.choice(stub.enums[kind]))
        if kind in stub.classes:
            return self._object(kind)
        return self.random.choice(OTHERS)

    def _wrong(self, kind: str) -> Any:
        if kind.startswith("NDArray"):
            return self._wrong_array(kind)
        choices: list[Any] = [self.random.choice(OTHERS), self.random.choice(INTEGERS), self.random.choice(FLOATS)]
        if kind.startswith(("list", "Sequence")):
            choices = [[], [self.random.choice(INTEGERS)], [0, "x"], *choices]
        return self.random.choice(choices[1:] if kind in ("int", "float") and self.random.random() < 0.8 else choices)

    def _array(self, kind: str) -> NDArray[Any]:
        match = re.search(r"np\.(\w+)", kind)
        kinds = (np.float64, np.float32, np.uint32, np.uint64, np.int64, np.int8, np.uint8)
        dtype = np.dtype(getattr(np, match[1]) if match else self.random.choice(kinds))
        s = self.size
        shapes = ((s,), (s, s), (s, 2), (s + 1,), (s, 784), (s, 5), (12, 12))
        shape = self.random.choices(shapes, (5, 4, 1, 1, 1, 1, 1))[0]
        if dtype.kind == "f":
            values = self._numbers.random(shape) if self.random.random() < 0.5 else self._numbers.normal(size=shape)
        elif dtype == np.int8:
            values = self._numbers.choice((-1, 1), size=shape)
        else:
            values = self._numbers.integers(0, max(s, 1), size=shape)
        return self._keep(np.ascontiguousarray(values.astype(dtype)))

    def _wrong_array(self, kind: str) -> Any:
        array, choice = self._array(kind), self.random.choice
        ways = [
            lambda: array.astype(choice(("f4", "f8", "i4", "i8", "u1", ">f8", "O", "c16", "?"))),
            lambda: np.zeros(choice(((0,), (0, 0), (0, 5), (5, 0), (), (2, 2, 2))), array.dtype),
            lambda: np.asfortranarray(array),
            lambda: np.repeat(array, 2, axis=0)[::-2],
            lambda: np.broadcast_to(array, (3, *array.shape)),
            lambda: self._keep(np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)),
            lambda: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),  # not writable
            lambda: choice(OTHERS),
        ]
        with np.errstate(all="ignore"):
            if self.random.random() < 0.8:
                return choice(ways)()
        for _ in range(choice((1, 1, array.size))):
            _spoil(array, self.random)
        return array

    def _keep(self, array: NDArray[Any]) -> NDArray[Any]:
        self._given.append(array)
        return array

    def _points(self) -> Any:
        n, d = self.random.choice(((12, 5), (12, 5), (20, 5), (12, 3), (40, 70)))
        points = self._numbers.normal(size=(n, d)).astype(np.float32)
        how = self.random.randrange(4)
        if how == 1:
            points = (points > 0).astype(np.float32)
        elif how == 2:
            points[points < 0.5] = 0.0
            return sparse.csr_matrix(points)
        elif how == 3:
            points = np.abs(points)
        return points

    def _matrix(self, points: Any) -> Any:
        if isinstance(points, np.ndarray):
            return _core.Matrix(self._keep(np.ascontiguousarray(points)))
        arrays = points.indptr.astype(np.int64), points.indices.astype(np.int32), points.data
        for array in arrays:
            self._keep(array)
        return _core.Matrix(*arrays, points.shape[1])

    def _object(self, name: str) -> Any:
        stub = core_stub.read()
        points = self._points()
        n = points.shape[0]
        if name == "Matrix":
            return self._matrix(points)
        if name == "FeatureMatrix":
            return _core.FeatureMatrix(self._matrix(points), n // 2)
        if name == "KernelFunction":
            kind = self.random.choice(list(_core.KernelFunction.Kind.__members__.values()))
            return _core.KernelFunction(kind, 0.5, 1.0, self.random.choice((1, 2, 3)))
        if name in ("RowSource", "CachedRows"):
            return _core.CachedRows(self._object("KernelFunction"), self._matrix(points), n // 2, 3)
        if name == "GramRows":
            kernel, matrix = self._object("KernelFunction"), self._matrix(points)
            gram = self._keep(np.zeros((n, n), np.float32))
            _core.fill_gram(kernel, matrix, gram)
            return _core.GramRows(kernel, matrix, n // 2, gram)
        if self._depth > 3:
            return None
        self._depth += 1
        try:
            for _ in range(8):
                owner = self.random.choice(stub.subclasses(name) or [name])
                if not stub.constructors(owner):
                    return None
                positional, named = self.of(self.random.choice(stub.constructors(owner)))
                try:
                    return getattr(_core, owner)(*positional, **named)
                except (ValueError, TypeError):
                    continue
            return None
        finally:
            self._depth -= 1


def _raise(*_: Any) -> None:
    raise Refused


def _overwrite(values: Any) -> None:
    if isinstance(values, np.ndarray):
        values[:] = np.nan


def _spoil(array: NDArray[Any], source: random.Random) -> None:
    """Change one element, or all bytes."""
    if array.size == 0 or array.dtype.kind not in "iuf" or not array.flags.writeable:
        return
    if source.random() < 0.2:
        array[...] = np.frombuffer(source.randbytes(array.nbytes), array.dtype).reshape(array.shape)
        return
    place = source.randrange(array.size)
    if array.dtype.kind == "f":
        array.flat[place] = source.choice((*FLOATS, 1e100, -1e100, array.flat[place] * 2, -array.flat[place]))
    else:
        span = 2 ** (8 * array.dtype.itemsize)
        chosen = source.choice(
            (*INTEGERS, int(array.flat[place]) + 1, int(array.flat[place]) - 1, source.randrange(40))
        )
        array.flat[place] = np.array([chosen % span], np.uint64).astype(array.dtype)[0]


def mutated(state: dict[str, NDArray[Any]], foreign: dict[str, NDArray[Any]], source: random.Random) -> dict[Any, Any]:
    """Return a state in which something is wrong, or has come from `foreign`, the state of another object."""
    made: dict[Any, Any] = {name: values.copy() for name, values in state.items()}
    for _ in range(source.choice((0, 1, 1, 1, 2, 4))):
        if not made:
            break
        name = source.choice(list(made))
        values = made[name]
        if not isinstance(values, np.ndarray):
            continue
        how = source.randrange(14)
        if how <= 4:
            _spoil(values, source)
        elif how == 5:
            made[name] = values[: source.randrange(values.size + 1)] if values.ndim == 1 else values
        elif how == 6:
            made[name] = np.concatenate([values.ravel(), values.ravel()[: source.choice((1, values.size))]])
        elif how == 7:
            made[name] = values.astype(source.choice(("f4", "f8", "u4", "u8", "u1", "i8", "O")))
        elif how == 8:
            other = source.choice(list(made))
            made[name], made[other] = made[other], values
        elif how == 9:
            del made[name]
        elif how == 10:
            made[source.choice((f"{name}2", "", 3, None, "\udc80"))] = np.zeros(source.choice((0, 1, 3)))
        elif how == 11:
            made[name] = source.choice((None, 3, [1.0], values.tolist(), np.array(1.0), values.reshape(1, -1)))
        elif how == 12:
            made[name] = source.sample(values.tolist(), values.size) if values.ndim == 1 else values
            made[name] = np.array(made[name], values.dtype)
        else:
            made[name] = foreign.get(name, values)
    return made


def changed(before: dict[str, NDArray[Any]], after: dict[str, NDArray[Any]]) -> list[str]:
    """Return the names whose values are not the same bits."""
    names = sorted({*before, *after})
    return [name for name in names if _bits(before.get(name)) != _bits(after.get(name))]


def _bits(values: NDArray[Any] | None) -> tuple[str, bytes] | None:
    return None if values is None else (str(values.dtype), values.tobytes())
