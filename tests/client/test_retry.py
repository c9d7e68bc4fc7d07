"""Which failed requests are sent again."""

from __future__ import annotations

from random import Random

import pytest

from kubewright.client.retry import MAX_RETRIES, delay_after_answer, delay_after_break

VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@pytest.mark.parametrize("method", VERBS)
@pytest.mark.parametrize("status", [429, 503])
def test_what_the_server_did_not_begin_is_sent_again_when_it_asks_for_it(method: str, status: int) -> None:
    assert delay_after_answer(method, status, 3, 0) == 3
    assert delay_after_answer(method, status, 0, 0) == 0
    assert delay_after_answer(method, status, None, 0) is None
    assert delay_after_answer(method, status, 3, MAX_RETRIES - 1) == 3
    assert delay_after_answer(method, status, 3, MAX_RETRIES) is None


@pytest.mark.parametrize("status", [500, 502, 504])
def test_only_reads_are_sent_again_when_the_server_may_have_acted(status: int) -> None:
    assert delay_after_answer("GET", status, 1, 0) == 1
    for method in VERBS[1:]:
        assert delay_after_answer(method, status, 1, 0) is None


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 409, 410, 422])
def test_other_answers_are_final(status: int) -> None:
    assert delay_after_answer("GET", status, 1, 0) is None


def test_a_broken_connection_repeats_reads_only_unless_nothing_was_sent() -> None:
    random = Random(1)  # noqa: S311 - for pauses
    assert delay_after_break("GET", 0, random, was_sent=True) is not None
    for method in VERBS[1:]:
        assert delay_after_break(method, 0, random, was_sent=True) is None
        assert delay_after_break(method, 0, random, was_sent=False) is not None


def test_pauses_grow_differ_and_end() -> None:
    chances = [Random(seed) for seed in range(50)]  # noqa: S311 - for pauses
    pauses = [[delay_after_break("GET", n, chance, was_sent=True) for n in range(12)] for chance in chances]
    found = [pause for some in pauses for pause in some if pause is not None]
    assert max(found) <= 5
    assert len(set(found)) == len(found)
    assert all(some[-1] is None for some in pauses)
    longest = [max(some[n] or 0 for some in pauses) for n in range(5)]
    assert longest == sorted(longest)
