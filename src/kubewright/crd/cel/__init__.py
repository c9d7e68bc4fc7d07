"""CEL for Kubernetes 1.36: the rules of custom resources (`x-kubernetes-validations`), and all expressions.

Expressions are parsed and checked by cel-expr-python (`engine`), which is large, an extra of kubewright
(`pip install 'kubewright[cel]'`), and imported when the first expression is compiled. They are evaluated here
(`evaluator`), because Kubernetes needs what that package does not offer: costs and limits, values of its own
types, objects that are not converted before they are looked at, and the errors of Go's implementation.

- `compile_schema` makes of a structural schema the validator of its rules,
- `compile_errors` tells what is wrong with the rules of a CustomResourceDefinition,
- `compile_expression` is for all other expressions, such as those of policies and match conditions.
"""

from __future__ import annotations

from kubewright.crd.cel.compiler import Compiled
from kubewright.crd.cel.engine import CelUnavailableError, CompileError
from kubewright.crd.cel.environment import compile_expression
from kubewright.crd.cel.evaluator import Evaluated, Program
from kubewright.crd.cel.rules import compile_schema
from kubewright.crd.cel.schema_errors import compile_errors
from kubewright.crd.cel.validator import CelValidator

__all__ = [
    "CelUnavailableError",
    "CelValidator",
    "CompileError",
    "Compiled",
    "Evaluated",
    "Program",
    "compile_errors",
    "compile_expression",
    "compile_schema",
]
