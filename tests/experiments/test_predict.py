"""`svm-predict`: labels of a file, and the error if the file has the model's labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from svm_cost_curves.experiments.prediction import main
from svm_cost_curves.solvers.models import Model
from svm_cost_curves.solvers.predictors import LinearPredictor

TEXT = "1 1:2 3:1\n0 1:-2\n1 2:5 1:-1\n"
ABOUT = {
    "labels": {"negative": (0.0,), "positive": (1.0,), "classes": ()},
    "from_zero": False,
    "transforms": {"divide_by": 1.0, "scaling": "none", "row_norm": "none"},
}


def written(place: Path, text: str = TEXT, name: str = "data.svm", **about: Any) -> list[str]:
    """The model f(x) = x_1, and a file."""
    model = Model(LinearPredictor(np.array([1.0, 0.0, 0.0])), 0.0, (0.0, 1.0), 3, about={**ABOUT, **about})
    model.save(place / "model.npz")
    (place / name).write_text(text, encoding="utf-8")
    return [str(place / "model.npz"), str(place / name)]


def test_labels_are_printed_and_the_error_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(written(tmp_path)) == 0
    out, err = capsys.readouterr()
    assert out == "1\n0\n0\n"
    assert err == "error 33.3333%: 1 of 3 labels are wrong\n"
    assert main([*written(tmp_path), "--out", str(tmp_path / "labels.txt")]) == 0
    assert (tmp_path / "labels.txt").read_text(encoding="utf-8") == out
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "text", "about", "said"),
    [
        ("x.csv", "1,a,0\n2,b,1\n", {}, "'b' is not a number; write the columns of the training data in their order "),
        ("x.csv", "1,a,0,0\n2,b,0,1\n", {"drop_columns": [2]}, "in their order, of which these are left out: 2 (col"),
        ("x.csv", "1,2,0\n,2,1\n,3,1\n", {}, "2 in column 0; fill them in, or remove the rows."),
        ("x.csv", "1:2,2:3,4:5\n1:2,2:3,4:5\n", {}, "if the file is LIBSVM text, let its name end in .svm."),
        ("x.svm", "1,2,3\n", {}, "If the file is a table of columns, let its name end in .csv."),
        ("x.svm", "PAR1", {}, "is not text, but a Parquet file; let its name end in .parquet."),
        ("x.csv", "1,2,p\n3,4,q\n5,6,r\n", {}, "in no other line; remove the line."),
        ("x.csv", "1,2,0\n", {"label_column": 7}, "the training data had label_column=7, but the file has 3 columns"),
        ("x.csv", "y,y,a\n1,2,0\n", {"label_column": "y"}, "more than one column is called 'y'; give them different"),
        ("x.csv", "a,y,b\n1,2,0\n", {"label_column": "y", "drop_columns": [1]}, "was left out in training; write"),
    ],
)
def test_advice_is_what_can_be_done_here(
    name: str, text: str, about: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(written(tmp_path, text, name, **about))
    err = capsys.readouterr().err
    assert said in err
    assert "dataset." not in err


def test_a_folder_is_no_file_of_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, _ = written(tmp_path)
    assert main([model, str(tmp_path)]) == 2
    assert f"{tmp_path}: is a folder; name a file, such as {tmp_path}/" in capsys.readouterr().err


def test_other_labels_give_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(written(tmp_path, TEXT.replace("0 1:-2", "7 1:-2"))) == 0
    assert "no error" in capsys.readouterr().err
    rest = {"negative": None, "positive": (1.0,), "classes": ()}
    assert main(written(tmp_path, TEXT.replace("0 1:-2", "7 1:-2"), labels=rest)) == 0
    assert "1 of 3" in capsys.readouterr().err


def test_labels_that_are_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {"negative": (0.0,), "positive": (1.0,), "classes": ("ham", "spam")}
    assert main(written(tmp_path, "2,0,1,spam\n-2,0,0,ham\n-1,5,0,spam\n", "data.csv", labels=labels)) == 0
    assert "1 of 3" in capsys.readouterr().err
    assert main(written(tmp_path, labels=labels)) == 0
    assert "no error" in capsys.readouterr().err


def test_features_are_treated_as_in_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model(LinearPredictor(np.array([1.0, 0.0])), -0.9, (0.0, 1.0), 2, about=ABOUT)
    text = "0 1:2 2:2\n1 1:2\n"  # without l2 both are positive
    for transforms, expected in (({"row_norm": "l2"}, "0\n1\n"), ({"divide_by": 4.0}, "0\n0\n"), ({}, "1\n1\n")):
        words = written(tmp_path, text)
        about = {**ABOUT, "transforms": transforms}
        Model(model.predictor, model.bias, model.classes, 2, about=about).save(words[0])
        assert main(words) == 0
        assert capsys.readouterr().out == expected


def test_indices_from_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a file in which no row has the index 0 counts from 0 all the same: its first column is the second feature
    assert main(written(tmp_path, "0 1:2\n", from_zero=True)) == 0
    assert capsys.readouterr().out == "0\n"
    assert main(written(tmp_path, "0 0:2\n")) == 2
    assert "index 0 occurs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "about", "message"),
    [
        ("1 4:1\n", {}, "the file has 4 features, the model was trained on 3"),
        (TEXT, {"transforms": {"scaling": "minmax"}}, "dataset.scaling=minmax"),
        ("1 1:x\n", {}, "line 1"),
    ],
)
def test_what_cannot_be_predicted_is_said(
    text: str, about: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(written(tmp_path, text, **about)) == 2
    assert message in capsys.readouterr().err
    assert main(["nothing.npz", str(tmp_path / "data.svm")]) == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "text"), [("data.svm", "1 1:1e300\n"), ("data.csv", "1e300,0,0,1\n")])
def test_features_beyond_float32_are_refused(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(written(tmp_path, text, name)) == 2
    assert capsys.readouterr() == ("", "error: a feature is too large for float32 (from 3.4e38 on)\n")


def test_the_model_knows_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ["2 ('a')", "3 ('b')", "4 ('c')"]
    about = {"label_column": "class", "drop_columns": [0], "columns": places}
    rows = "9,1,2,0,1\n9,0,-2,0,0\n"
    assert main(written(tmp_path, f"id,class,a,b,c\n{rows}", "data.csv", **about)) == 0
    out, err = capsys.readouterr()
    assert (out, err.partition(":")[0]) == ("1\n0\n", "error 0.0000%")
    assert main(written(tmp_path, f"id,class,b,a,c\n{rows}", "data.csv", **about)) == 2
    assert "data.csv: feature 0 (counted from 0) is 'b'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("data.csv", "1,2,3,1\n1,inf,3,0\n", "data.csv: the value in row 2, column 1 is inf"),
        ("data.svm", "1 1:1\n0 2:nan\n", "data.svm, row 2, index 2: the value is missing"),
    ],
)
def test_a_value_that_is_not_finite_is_named(
    name: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(written(tmp_path, text, name)) == 2
    assert said in capsys.readouterr().err
