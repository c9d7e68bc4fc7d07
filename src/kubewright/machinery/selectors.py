"""Label and field selectors: how lists, watches and objects say which other objects they mean."""

from kubewright.machinery.field_selectors import (
    FieldRequirement,
    FieldSelector,
    FieldTransform,
    escape_field_value,
    parse_field_selector,
)
from kubewright.machinery.label_selectors import Operator, Requirement, Selector, parse_label_selector

__all__ = [
    "FieldRequirement",
    "FieldSelector",
    "FieldTransform",
    "Operator",
    "Requirement",
    "Selector",
    "escape_field_value",
    "parse_field_selector",
    "parse_label_selector",
]
