"""The first document of a text as Go reads it: repeated keys, and Go's words for what does not parse."""

from __future__ import annotations

import pytest
import yaml as libyaml

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.yaml import MalformedYaml, RepeatedKey, load, load_first
from kubewright.machinery.yaml_documents import MAX_REPEATED


def test_the_last_of_repeated_keys_counts() -> None:
    data, repeated = load_first("a: 1\nb:\n  c: 1\n  c: 2\nb:\n  - 3\na: 4\n")
    assert data == {"a": 4, "b": [3]}
    # In the order in which the values end, each with the line that its value begins in.
    assert repeated == [RepeatedKey(4, "c"), RepeatedKey(6, "b"), RepeatedKey(7, "a")]


def test_only_the_first_document_is_read() -> None:
    assert load_first("a: 1\n---\n[broken\n") == ({"a": 1}, [])
    assert load_first("# nothing\n") == (None, [])
    assert load_first("") == (None, [])


def test_no_more_than_so_many_repeated_keys_are_reported() -> None:
    _, repeated = load_first("a: 1\n" * (MAX_REPEATED + 50))
    assert len(repeated) == MAX_REPEATED


def test_elsewhere_they_are_refused() -> None:
    with pytest.raises(DecodeError, match="line 2, column 1: the key 'a' stands twice"):
        load("a: 1\na: 2\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a:\n\tb: 1\n", "yaml: line 2: found character that cannot start any token"),
        ("a: [1\n", "yaml: line 1: did not find expected ',' or ']'"),
    ],
)
@pytest.mark.skipif(not libyaml.__with_libyaml__, reason="PyYAML has no libyaml here, whose words these are")
def test_the_words_of_go(text: str, words: str) -> None:
    with pytest.raises(MalformedYaml) as refused:
        load_first(text)
    assert refused.value.go_text == words
