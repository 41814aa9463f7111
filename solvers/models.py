"""A trained predictor with what its use needs, and its file: numpy's .npz without pickled objects."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..support.errors import LARGEST_INTEGER
from ..support.files import open_plain, write_output
from ..support.forms import fault
from .errors import SettingsError
from .evaluation import completion, expanded
from .features import MAX_FEATURES, Features, augmented, check_range
from .kernels import Gaussian, Kernel, Linear, Polynomial
from .predictors import BasisPredictor, CosinePredictor, KernelPredictor, LinearPredictor, Predictor
from .problem import Problem
from .snapshots import FunctionSnapshot, KernelSnapshot, LinearSnapshot, Snapshot

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
"""Version of the file: raised when its content gets another meaning."""
_HEADER = "header"
_PREDICTORS = {kind.__name__: kind for kind in (LinearPredictor, KernelPredictor, BasisPredictor, CosinePredictor)}
_KERNELS: dict[str, type[Kernel]] = {kind.name: kind for kind in (Gaussian, Polynomial, Linear)}
_CSR = ("data", "indices", "indptr")


class ModelError(SettingsError):
    """A file that is not a model of this version, or is damaged; the message says which and why."""


@dataclass(frozen=True)
class Model:
    """A predictor f(x) = <predictor of the prepared x> + bias, which predicts ``classes[f(x) > 0]``.

    A point has `d` features, to which the constant `rho` is appended if it is not 0, and from which `shift`, (width,)
    float32 or None, is subtracted. `classes` are two numbers, booleans or texts; `about` has JSON types: the solver,
    its settings and its costs.
    """

    predictor: Predictor
    bias: float
    classes: tuple[Any, Any]
    d: int
    rho: float = 0.0
    shift: NDArray[np.float32] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    def decision_values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:
        """Return f(x), (m,) float64, for (m, d) float32 points, dense or CSR.

        Raises SettingsError for another number of features, or values that are too large for the kernel.
        """
        if X.shape[1] != self.d:
            raise SettingsError(f"the points have {X.shape[1]:,} features, the model was trained on {self.d:,}")
        if self.rho != 0.0:
            X = augmented(X, self.rho)
        if self.shift is not None:
            X = (X if isinstance(X, np.ndarray) else X.toarray()) - self.shift
        if isinstance(self.predictor, KernelPredictor):
            check_range(self.predictor.kernel, X, "points")
        values = self.predictor.values(X, threads)
        values += self.bias
        return values

    def predict(self, X: Features, threads: int = 1) -> NDArray[Any]:
        """Return the class of each point, (m,)."""
        classes: NDArray[Any] = np.asarray(self.classes)
        return classes[(self.decision_values(X, threads) > 0.0).astype(np.intp)]

    def save(self, path: Path | str) -> None:
        """Write the model to a file, which is replaced in one step (`support.files.write_output`); raises OSError."""
        arrays: dict[str, NDArray[Any]] = {} if self.shift is None else {"shift": self.shift}
        plain: dict[str, Any] = {}
        for name, value in _fields(self.predictor).items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
            elif sparse.issparse(value):
                arrays |= {f"{name}.{part}": getattr(value, part) for part in _CSR}
            elif isinstance(value, Kernel):
                plain[name] = {"name": value.name, **_fields(value)}
            else:
                plain[name] = value
        header = {
            "format": FORMAT,
            "predictor": type(self.predictor).__name__,
            "fields": plain,
            "bias": self.bias,
            "classes": list(self.classes),
            "d": self.d,
            "rho": self.rho,
            "about": dict(self.about),
        }
        header["sha256"] = _checksum(header, arrays)
        stored = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
        content = io.BytesIO()
        np.savez_compressed(content, header=stored, **arrays)  # type: ignore[arg-type]  # its **kwds are arrays
        write_output(Path(path), content.getbuffer())

    @classmethod
    def load(cls, path: Path | str) -> Model:
        """Read a model that `save` has written, so that it predicts. No object is unpickled.

        Raises ModelError if there is no such file, or it is no model, of another version, or damaged.
        """
        try:
            with open_plain(path) as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            header = dict(json.loads(arrays.pop(_HEADER).tobytes()))
        except FileNotFoundError:
            raise ModelError(f"{path}: there is no such file") from None
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {fault(error, f'{path}: ')}") from error
        except Exception as error:  # whatever the readers of zip, .npy and JSON raise on foreign bytes
            raise ModelError(f"{path} is not a model, or it is damaged: it cannot be read as one") from error
        if header.get("format") != FORMAT:
            raise ModelError(f"{path} has version {header.get('format')} of the format; this program reads {FORMAT}")
        if header.pop("sha256", None) != _checksum(header, arrays):
            raise ModelError(f"{path} is damaged: its checksum differs from the one written with it")
        try:
            model = cls._of(header, arrays)
            model._check()
        except Exception as error:  # whatever pydantic, numpy, scipy and the core raise
            raise ModelError(f"{path} is damaged: its entries do not fit together") from error
        return model

    @classmethod
    def _of(cls, header: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> Model:
        _form().validate_python(header)
        shift = arrays.pop("shift", None)
        rho, d = float(header["rho"]), header["d"]
        width = d + (rho != 0.0)
        values: dict[str, Any] = dict(header["fields"])
        for name in {name.partition(".")[0] for name in arrays}:
            if name in arrays:
                values[name] = arrays[name]
            else:
                data, indices, indptr = (arrays[f"{name}.{part}"] for part in _CSR)
                values[name] = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width))
        if "kernel" in values:
            kernel = dict(values["kernel"])
            values["kernel"] = _KERNELS[kernel.pop("name")](**kernel)
        predictor = _PREDICTORS[header["predictor"]](**values)
        negative, positive = header["classes"]
        return cls(predictor, float(header["bias"]), (negative, positive), d, rho, shift, header["about"])

    def _check(self) -> None:
        """Raise an error unless the parts of a model from a file fit together: it predicts the class of a point."""
        parts: dict[str, Any] = {
            name: value for name, value in _fields(self.predictor).items() if hasattr(value, "shape")
        }
        for name, value in {**parts, **({} if self.shift is None else {"shift": self.shift})}.items():
            values = value if isinstance(value, np.ndarray) else value.data
            if not (values.dtype.kind == "f" and np.isfinite(values).all()):
                raise ValueError(f"{name} has values that are not finite numbers")
            if value.ndim != (2 if name in ("points", "frequencies") else 1):
                raise ValueError(f"{name} has the shape {value.shape}")
        if len({value.shape[0] for value in parts.values()}) > 1:
            raise ValueError("the parts have different lengths")
        width = self.d + (self.rho != 0.0)
        if self.predictor.width != width:
            raise ValueError(f"{self.predictor.width} coordinates, not {width}")
        if self.shift is not None and self.shift.shape != (width,):
            raise ValueError(f"shift has the shape {self.shift.shape}")
        self.decision_values(sparse.csr_matrix((1, self.d), dtype=np.float32))  # type: ignore[arg-type]  # its shape


@cache
def _form() -> TypeAdapter[Any]:
    """Return pydantic's check of a file's header."""
    from pydantic import AllowInfNan, ConfigDict, Field, TypeAdapter, create_model

    Number = Annotated[float, AllowInfNan(False)]
    Label = bool | Annotated[int, Field(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)] | Number | str
    labels = Annotated[list[Label], Field(min_length=2, max_length=2)]
    width = Annotated[int, Field(ge=1, le=MAX_FEATURES)]
    model = create_model(
        "Header",
        __config__=ConfigDict(strict=True),
        bias=Number,
        classes=labels,
        d=width,
        rho=Number,
        about=dict[str, Any],
        fields=dict[str, Any],
    )
    return TypeAdapter(model)


def model_of(
    problem: Problem,
    snapshot: Snapshot,
    classes: Sequence[Any] = (-1, 1),
    about: Mapping[str, Any] | None = None,
) -> Model:
    """Return a snapshot's predictor as a model of two classes, those that are -1 and +1 in the problem.

    A snapshot with a volume is divided by its water level, for which its values at all training points are computed.
    `about` has entries of the file for the reader, in JSON types. Raises NotImplementedError for a solver that does not
    say how its predictor is saved.
    """
    predictor, bias = _completed(problem, snapshot)
    rho = problem.rho
    if rho != 0.0 and isinstance(predictor, LinearPredictor):
        bias += rho * float(predictor.weights[-1])
        predictor, rho = LinearPredictor(predictor.weights[:-1]), 0.0
    negative, positive = (value.item() if isinstance(value, np.generic) else value for value in classes)
    d = problem.d - (problem.rho != 0.0)
    return Model(predictor, bias, (negative, positive), d, rho, problem.shift, about or {})


def _completed(problem: Problem, snapshot: Snapshot) -> tuple[Predictor, float]:
    if isinstance(snapshot, FunctionSnapshot):
        return snapshot.predictor(), snapshot.bias
    values = np.empty(0)  # f at the training points: needed for a water level only
    if isinstance(snapshot, KernelSnapshot):
        support = np.flatnonzero(snapshot.coefficients)
        coefficients = snapshot.coefficients[support]
        if snapshot.volume is not None:
            values = expanded(problem, support, np.ascontiguousarray(coefficients[:, None]))[:, 0]
        scale, bias, _ = completion(problem, snapshot, values)
        return KernelPredictor(problem.kernel, problem.X[support], scale * coefficients), scale * bias
    assert isinstance(snapshot, LinearSnapshot)
    if snapshot.volume is not None:
        values = np.asarray(problem.ordered @ snapshot.weights, dtype=np.float64)
    scale, bias, _ = completion(problem, snapshot, values)
    return LinearPredictor(scale * problem.in_data_order(snapshot.weights)), scale * bias


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a checksum of the header, and of the arrays' names, types, shapes and values."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
