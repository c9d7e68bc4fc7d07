"""Server-side apply: which manager owns which fields of an object, and what a write makes of that.

`FieldManager` is what an API server needs: it takes whole objects and keeps their `metadata.managedFields`.
Below it, `Ownership` has the rules for a write with several managers, `FieldSet` is a set of field paths, and
`validate`, `to_field_set`, `compare`, `merge`, `remove_items` and `extract_items` work on plain JSON values
by their `Schema`. The rules are those of kube-apiserver and sigs.k8s.io/structured-merge-diff.
"""

from kubewright.machinery.apply.compare import Comparison, compare
from kubewright.machinery.apply.field_manager import BEFORE_FIRST_APPLY, FieldManager
from kubewright.machinery.apply.fieldset import ANY_ELEMENT, FieldSet
from kubewright.machinery.apply.last_applied import LAST_APPLIED_ANNOTATION
from kubewright.machinery.apply.managed_fields import (
    ANCIENT_CHANGES,
    MAX_UPDATE_MANAGERS,
    decode_managed_fields,
    encode_managed_fields,
    keep_timestamps,
)
from kubewright.machinery.apply.managers import (
    ApplyConflict,
    FieldConflict,
    Manager,
    ManagerKey,
    Managers,
    Operation,
)
from kubewright.machinery.apply.merge import extract_items, merge, remove_items
from kubewright.machinery.apply.ownership import (
    NOBODYS_FIELDS,
    Converter,
    FieldFilter,
    MissingVersion,
    Ownership,
)
from kubewright.machinery.apply.path_element import (
    Path,
    PathElement,
    field_element,
    format_path,
    index_element,
    key_element,
    make_path,
    value_element,
)
from kubewright.machinery.apply.typed import to_field_set
from kubewright.machinery.apply.validation import validate

__all__ = [
    "ANCIENT_CHANGES",
    "ANY_ELEMENT",
    "BEFORE_FIRST_APPLY",
    "LAST_APPLIED_ANNOTATION",
    "MAX_UPDATE_MANAGERS",
    "NOBODYS_FIELDS",
    "ApplyConflict",
    "Comparison",
    "Converter",
    "FieldConflict",
    "FieldFilter",
    "FieldManager",
    "FieldSet",
    "Manager",
    "ManagerKey",
    "Managers",
    "MissingVersion",
    "Operation",
    "Ownership",
    "Path",
    "PathElement",
    "compare",
    "decode_managed_fields",
    "encode_managed_fields",
    "extract_items",
    "field_element",
    "format_path",
    "index_element",
    "keep_timestamps",
    "key_element",
    "make_path",
    "merge",
    "remove_items",
    "to_field_set",
    "validate",
    "value_element",
]
