"""Many small cases in one test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import pytest

__all__ = ["check_each"]

T = TypeVar("T")

_SHOWN = 20
"""Cases that a failure shows in full: who breaks a rule for all kinds breaks thousands."""


def check_each(cases: Mapping[str, T], check: Callable[[T], object]) -> None:
    """Check every case, also after one that is wrong, and fail with the names of all that are and why.

    pytest needs milliseconds for a test, and again in each worker to collect it. To compare a recorded answer
    takes less, and there are thousands: a file of them is a test, and each is a case.
    """
    assert cases, "there are no cases: nothing would be checked"
    wrong = {}
    for name, case in cases.items():
        try:
            check(case)
        except Exception as error:  # whatever it is, the others are told of as well
            wrong[name] = f"{type(error).__name__}: {error}"
    if wrong:
        shown = "\n\n".join(f"--- {name}\n{why}" for name, why in list(wrong.items())[:_SHOWN])
        more = "\n\nand: " + ", ".join(list(wrong)[_SHOWN:]) if len(wrong) > _SHOWN else ""
        pytest.fail(f"{len(wrong)} of {len(cases)} cases are wrong:\n\n{shown}{more}", pytrace=False)
