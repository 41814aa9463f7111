"""``svm-predict model.npz data.svm``: the labels that a model predicts, one a line.

If the file has the model's labels, the error is shown on standard error. The file needs the columns of the training
data: the same column is the label, and the same columns are left out. The features are divided, and their rows
normalised, as in training.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NotRequired

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from scipy import sparse
from typing_extensions import TypedDict

from ..datasets import DataError, FileData
from ..datasets.checks import check_table
from ..datasets.errors import shown_path, without_settings
from ..datasets.fetch import read
from ..datasets.readers import format_of, reader_of
from ..datasets.readers.columns import check_names
from ..datasets.readers.libsvm import with_index_zero
from ..datasets.source import user_path
from ..datasets.transforms import divide, normalise_rows, to_float32, to_matrix
from ..datasets.types import Matrix, Table
from ..solvers import SettingsError
from ..solvers.models import Model, ModelError
from ..support.errors import reason
from ..support.files import write_output
from ..support.forms import first_fault
from ..support.text import printable


def main(arguments: Sequence[str]) -> int:
    """Predict the labels of a file; return the exit status: 2 for a user's error, which is said on standard error."""
    parser = argparse.ArgumentParser(prog="svm-predict", description=__doc__.partition(": ")[2])
    parser.add_argument("model", help="file of a model, as run.py model=model.npz and an estimator's save write it")
    parser.add_argument("data", help="examples: LIBSVM text, .npz, or a table with the training data's columns")
    parser.add_argument("--out", type=Path, help="file, device or pipe for the labels; default: standard output")
    given = parser.parse_args(arguments)
    try:
        model = read_model(given.model)
        with without_settings():
            table = read_examples(user_path(given.data), model)
        positive = model.decision_values(features(model, table)) > 0.0
        text = "".join(f"{name}\n" for name in np.array([_text(name) for name in model.classes])[positive.astype(int)])
        if given.out is None:
            sys.stdout.write(text)
        else:
            write_output(given.out, text.encode())
    except (SettingsError, DataError, OSError) as error:
        print(printable(f"error: {reason(error) if isinstance(error, OSError) else error}"), file=sys.stderr)
        return 2
    print(summary(positive, signs(model, table)), file=sys.stderr)
    return 0


def read_model(path: str) -> Model:
    """Read a model, with what it says about its data; ModelError also if that has another form."""
    model = Model.load(path)
    try:
        _form().validate_python(dict(model.about))
    except ValidationError as error:
        raise ModelError(f"{path} is damaged: of its data it says {first_fault(error)}") from error
    return model


@with_config(ConfigDict(strict=True))
class _Transforms(TypedDict):
    divide_by: NotRequired[Annotated[float, Field(gt=0, allow_inf_nan=False)]]
    scaling: NotRequired[str]
    row_norm: NotRequired[str]


_Label = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str


@with_config(ConfigDict(strict=True))
class _Labels(TypedDict):
    positive: list[_Label]
    negative: list[_Label] | None
    classes: NotRequired[list[str] | None]


def _of_classes(labels: _Labels) -> _Labels:
    """Return the labels of a file, which are numbers of classes where these have names."""
    count = len(labels.get("classes") or ())
    for label in (*labels["positive"], *(labels["negative"] or ())) if count else ():
        if isinstance(label, str) or not 0 <= label < count:
            raise ValueError(f"the label {label!r} is none of its {count} classes")
    return labels


@with_config(ConfigDict(strict=True))
class _About(TypedDict):
    """What `read_examples`, `features` and `signs` read; models of version 2.0 do not have the columns."""

    transforms: NotRequired[_Transforms]
    labels: NotRequired[Annotated[_Labels, AfterValidator(_of_classes)] | None]
    from_zero: NotRequired[bool | None]
    columns: NotRequired[list[str]]
    label_column: NotRequired[int | str]
    drop_columns: NotRequired[list[int]]


@cache
def _form() -> TypeAdapter[_About]:
    return TypeAdapter(_About)


def read_examples(path: Path, model: Model) -> Table:
    """Read a file with rows of features and a label, as ``dataset=file`` read the model's training data.

    DataError: it is malformed, a value is not finite, or its columns have other names than the training data's.
    """
    chosen = {name: model.about[name] for name in ("label_column", "drop_columns") if name in model.about}
    _, reader = reader_of(FileData(**chosen), format_of(str(path), "auto"))
    where = shown_path(path)
    table = reader(read(path).content, where)
    check_names(table.columns, model.about.get("columns", ()), where, "the model's training data")
    check_table(table, where)
    return table


def features(model: Model, table: Table) -> Matrix:
    """Return the features of a file as the model's training data had them, (m, d) float32.

    SettingsError: the width differs, or the training data had a transform whose numbers the model does not have.
    """
    about = model.about
    transforms = {"divide_by": 1.0, "scaling": "none", "row_norm": "none", **about.get("transforms", {})}
    for name, possible in (("scaling", ("none",)), ("row_norm", ("none", "l2"))):
        if transforms[name] not in possible:
            raise SettingsError(
                f"the model was trained with dataset.{name}={transforms[name]}, whose numbers follow from the training "
                "rows and are not in the model: transform the files yourself, before training"
            )
    if about.get("from_zero") and sparse.issparse(table.X):
        table = with_index_zero(table)
    elif table.from_zero and "from_zero" in about:
        raise SettingsError("index 0 occurs in the file, and the training data counted indices from 1")
    narrower_allowed = sparse.issparse(table.X)  # text that leaves out zeros
    if table.X.shape[1] > model.d or (table.X.shape[1] < model.d and not narrower_allowed):
        raise SettingsError(f"the file has {table.X.shape[1]:,} features, the model was trained on {model.d:,}")
    X = to_matrix(table.X, model.d, dense=not narrower_allowed)
    divide(X, float(transforms["divide_by"]))
    if transforms["row_norm"] == "l2":
        normalise_rows(X)
    with np.errstate(over="ignore"):
        X = to_float32(X)
    if not np.isfinite(X.data if sparse.issparse(X) else X).all():
        raise SettingsError("a feature is too large for float32 (from 3.4e38 on)")
    return X


def signs(model: Model, table: Table) -> NDArray[np.bool_] | None:
    """Return which rows of a file are positive examples, (m,); None if a label is none of the model's."""
    negative, positive = model.classes
    rule: Mapping[str, Any] = model.about.get("labels") or {"negative": [negative], "positive": [positive]}
    names = rule.get("classes") or ()
    groups = [
        [names[int(label)] for label in group] if names else list(group or ())
        for group in (rule["negative"], rule["positive"])
    ]
    labels: NDArray[Any] = np.array(table.classes)[table.y.astype(np.intp)] if table.classes else table.y
    if any(isinstance(label, str) != bool(table.classes) for group in groups for label in group):
        return None
    is_positive = np.isin(labels, groups[1])
    has_label = is_positive | np.isin(labels, groups[0]) | (rule["negative"] is None)
    return is_positive if has_label.all() else None


def summary(predicted: NDArray[np.bool_], actual: NDArray[np.bool_] | None) -> str:
    """Return a sentence with the error, if the labels are known."""
    if actual is None or not len(actual):
        return f"{len(predicted):,} labels; no error, because the file has other labels than the model"
    wrong = int(np.count_nonzero(predicted != actual))
    return f"error {wrong / len(actual):.4%}: {wrong:,} of {len(actual):,} labels are wrong"


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, int | float) and not isinstance(label, bool) else str(label)
