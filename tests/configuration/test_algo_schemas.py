"""Schemas of algorithms are found by their names, also by a process that another one has started."""

from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

import solvers
from experiments.configuration import algo_schemas


@pytest.mark.parametrize("name", solvers.names())
def test_a_schema_is_sent_by_its_name(name: str) -> None:
    schema = getattr(algo_schemas, name)
    sent = pickle.dumps(schema)
    assert len(sent) < 100
    assert pickle.loads(sent) is schema
    own = [field.name for field in fields(solvers.get(name).Settings)]
    assert [field.name for field in fields(schema)] == [*own, "name"]
    assert schema().name == name


def test_other_names_are_no_members() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        algo_schemas.nobody  # noqa: B018
