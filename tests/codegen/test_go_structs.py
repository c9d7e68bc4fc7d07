"""The table of Go's structs: the same as a fresh run, and complete."""

from __future__ import annotations

import pytest

from kubewright.codegen.go_structs import GO_STRUCTS, go_structs
from kubewright.machinery.errors import ParseError
from kubewright.models import protobuf_tables
from kubewright.models.go_structs import KINDS, NAMED, STRUCTS
from kubewright.server.wire.go_table import GoTypes
from tests.conftest import Oracle


@pytest.mark.oracle
def test_the_table_is_what_upstream_says(oracle: Oracle) -> None:
    assert GO_STRUCTS.read_text() == go_structs(oracle.ask("wire.types", None))


def test_every_kind_has_its_struct() -> None:
    assert KINDS == protobuf_tables.KINDS
    types = GoTypes(STRUCTS, NAMED)
    for kinds in KINDS.values():
        for name in kinds.values():
            assert types.struct(name).fields


def test_every_struct_can_be_made() -> None:
    types = GoTypes(STRUCTS, NAMED)
    for name in STRUCTS:
        fields = types.struct(name).fields
        assert len({field.name for field in fields}) == len(fields)


def test_names_that_are_no_structs() -> None:
    types = GoTypes(STRUCTS, NAMED)
    with pytest.raises(ParseError, match=r"core\.v1\.Widget"):
        types.struct("core.v1.Widget")
    with pytest.raises(ParseError, match=r"core\.v1\.PullPolicy is no struct"):
        types.struct("core.v1.PullPolicy")


def test_a_kind_without_a_struct() -> None:
    with pytest.raises(ParseError, match="make the models anew"):
        go_structs({"kinds": {}, "structs": {}, "named": {}, "forms": {}})


def test_an_option_that_nobody_reads() -> None:
    kinds = {api_version: dict(kinds) for api_version, kinds in KINDS.items()}
    structs = {name: [["A", "a", "string", "string"]] for kind in KINDS.values() for name in kind.values()}
    with pytest.raises(ParseError, match=r"json options \['string'\]"):
        go_structs({"kinds": kinds, "structs": structs, "named": {}, "forms": {}})
