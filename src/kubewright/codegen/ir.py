"""What the generator has understood: modules of structs of fields, ready to be written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kubewright.machinery.field import camel_case

__all__ = ["FieldDef", "ModuleDef", "StructDef"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDef:
    """One field of a struct."""

    name: str
    """In Python."""
    wire_name: str
    type: str
    """The annotation's source text, without markers."""
    default: str | None = None
    """The default's source text; None for a required field."""
    factory: bool = False
    """Whether `default` is a function that makes the default."""
    marker: str = ""
    """The source text of the `Field(...)` that goes into `Annotated`, or nothing."""
    doc: str = ""

    @property
    def needs_wire_name(self) -> bool:
        """Whether the wire name is another than `Struct` makes of the Python name by itself."""
        return camel_case(self.name) != self.wire_name


@dataclass(frozen=True, slots=True, kw_only=True)
class StructDef:
    """One class."""

    name: str
    base: str = "Struct"
    arguments: Sequence[str] = ()
    """The class's keyword arguments as source text, such as `kind="Pod"`."""
    fields: Sequence[FieldDef] = ()
    decorators: Sequence[str] = ()
    """The source texts of the calls above the class, without the `@`."""
    doc: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDef:
    """One module: all types of a group-version."""

    name: str
    doc: str
    structs: Sequence[StructDef]
    comments: Sequence[str] = ()
    """Lines below the docstring, without the `#`."""
    imports: dict[str, set[str]] = field(default_factory=dict)
    """Module → names imported from it."""
