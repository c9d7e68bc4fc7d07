"""Identifiers of objects."""

from __future__ import annotations

from random import Random
from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.uid import random_uid


@given(st.randoms(use_true_random=False))
def test_is_a_random_uuid_in_its_usual_spelling(random: Random) -> None:
    uid = random_uid(random)
    read = UUID(uid)
    assert str(read) == uid
    assert (read.version, read.variant) == (4, RFC_4122)


def test_all_other_bits_are_random() -> None:
    class Ones(Random):
        def getrandbits(self, k: int, /) -> int:
            return (1 << k) - 1

    class Zeros(Random):
        def getrandbits(self, k: int, /) -> int:
            return 0

    assert random_uid(Ones()) == "ffffffff-ffff-4fff-bfff-ffffffffffff"
    assert random_uid(Zeros()) == "00000000-0000-4000-8000-000000000000"
