"""Where there is no CEL: cel-expr-python has no release for every Python that kubewright supports."""

from __future__ import annotations

import sys
import sysconfig
from importlib.util import find_spec

import pytest

from kubewright.crd.cel.engine import UNAVAILABLE

__all__ = ["IS_UNAVAILABLE", "UNAVAILABLE", "needs_cel"]

_HAS_NO_RELEASE = sys.version_info >= (3, 15) or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
IS_UNAVAILABLE = _HAS_NO_RELEASE and find_spec("cel_expr_python") is None
"""False where it could be installed and is not, which is a mistake that tests must not hide."""

needs_cel = pytest.mark.skipif(IS_UNAVAILABLE, reason=UNAVAILABLE)
"""For tests that fail without CEL and do not show why; conftest.py leaves the others out."""
