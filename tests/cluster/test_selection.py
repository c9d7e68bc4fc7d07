"""Which controllers a choice names."""

from __future__ import annotations

import pytest

from kubewright.cluster.selection import CONTROLLERS, UnknownController, select_controllers

ALL = [entry.name for entry in CONTROLLERS]


def chosen(choice: object) -> list[str]:
    return [entry.name for entry in select_controllers(choice)]  # type: ignore[arg-type]


@pytest.mark.parametrize("choice", ["*", ["*"], " * "])
def test_all(choice: object) -> None:
    assert chosen(choice) == ALL


@pytest.mark.parametrize("choice", ["none", "", [], ["none"]])
def test_none(choice: object) -> None:
    assert chosen(choice) == []


@pytest.mark.parametrize("name", ["-serviceaccount", "-serviceaccount-controller", "*,-serviceaccount"])
def test_all_but_one_by_either_name(name: str) -> None:
    assert chosen(name) == [each for each in ALL if each != "serviceaccount-controller"]


def test_some_in_the_order_of_the_table() -> None:
    assert chosen("root-ca-cert-publisher,serviceaccount") == [
        "serviceaccount-controller",
        "root-ca-certificate-publisher-controller",
    ]


@pytest.mark.parametrize("choice", ["deploymnet", "-deploymnet", "serviceaccount,-x", "-"])
def test_a_name_that_there_is_not(choice: str) -> None:
    with pytest.raises(UnknownController, match=r"there is no controller .*serviceaccount-controller"):
        select_controllers(choice)


def test_none_stands_alone() -> None:
    with pytest.raises(UnknownController, match="stands alone"):
        select_controllers("none,serviceaccount")


def test_names_and_aliases_are_unique() -> None:
    names = [name for entry in CONTROLLERS for name in (entry.name, entry.alias) if name]
    assert len(names) == len(set(names))
