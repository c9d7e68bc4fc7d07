from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.storage.keys import SortedKeys, end_of_prefix

letters = st.text("ab/\U0010ffff", max_size=6)


@given(st.lists(letters), letters, letters)
def test_behaves_as_a_sorted_set(steps: list[str], start: str, end: str) -> None:
    keys, model = SortedKeys(max_chunk=3), set[str]()  # so that lists split all the time
    for step in steps:
        if step in model:
            keys.remove(step)
            model.remove(step)
        else:
            keys.add(step)
            model.add(step)
        assert len(keys) == len(model)
        assert keys.between("", None) == sorted(model)
    assert keys.between(start, end) == sorted(key for key in model if start <= key < end)
    assert keys.between(start, None) == sorted(key for key in model if start <= key)


@given(st.text(max_size=4), st.text(max_size=6))
def test_end_of_prefix_divides_those_that_start_with_it_from_those_after(prefix: str, key: str) -> None:
    end = end_of_prefix(prefix)
    within = prefix <= key and (end is None or key < end)
    assert within == key.startswith(prefix)
    assert prefix + key < end if end is not None else prefix.strip("\U0010ffff") == ""
