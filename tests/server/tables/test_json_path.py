"""JSONPath: what texts say, what paths find, and that neither takes long. The rest is in test_custom."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.server.tables.json_path import EvaluationError, compile_json_path

DATA: dict[str, Any] = {
    "a": {"b.c": 1, "d": [1, 2, 3]},
    "conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}],
    "text": "hi",
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [DATA]),
        (".a.d", [[1, 2, 3]]),
        (".a.x", []),
        (".text.x", []),
        (r".a.b\.c", [1]),
        (r".a['b\.c']", [1]),
        (".a.d[*]", [1, 2, 3]),
        (".a.d[-1]", [3]),
        (".a.d[0,2]", [1, 3]),
        (".a.d[::2]", [1, 3]),
        ('.conditions[?(@.type=="Ready")].status', ["True"]),
        (".conditions[?(@.status)].type", ["Ready", "Other"]),
        (".conditions..type", ["Ready", "Other"]),
        (".a.*", [1, [1, 2, 3]]),
        (".text.*", [104, 105]),
        ("..", [DATA, DATA["a"], DATA["a"]["d"]]),
        (".text}{.a", ["hi"]),
        (".text 'a\\x41\\u00e9\\101\\n\\''", ["aA\u00e9A\n'"]),
    ],
)
def test_paths_find_what_they_name(path: str, found: list[Any]) -> None:
    assert list(compile_json_path(path).find(DATA))[: len(found) or None] == found


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".a.d[9]", "array index out of bounds: index 9, length 3"),
        (".a.d[0:9]", "array index out of bounds: index 8, length 3"),
        (".a.d[2:1]", "starting index 2 is greater than ending index 1"),
        (".a.d[::0]", "step must be > 0"),
        (".text[0]", "a scalar is not array or slice"),
        (".a[?(@.x)]", "an object is not array or slice and cannot be filtered"),
        (".conditions[?(@.type==1)]", "incompatible types for comparison"),
        (".conditions[?(@==1)]", "invalid type for comparison"),
        (".conditions[?(@.type=~1)]", "unrecognized identifier"),
        (".a range", "unrecognized identifier range"),
        (".text}{.text[0]", "a scalar is not array or slice"),
    ],
)
def test_paths_that_do_not_fit_say_so(path: str, told: str) -> None:
    try:
        compiled = compile_json_path(path)
    except ParseError:
        assert "=~" in path
        return
    with pytest.raises(EvaluationError, match=r".") as raised:
        compiled.find(DATA)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".a[", "unterminated array"),
        (".a[x]", "invalid array index x"),
        (".a[-]", "array index - is not a number"),
        (".a[?(@.b", "unterminated filter"),
        (".a[?(@.b).", "unclosed array expect ]"),
        (".a....b", "invalid multiple recursive descent"),
        (".a 'b", "unterminated quoted string"),
        (".a '\\q'", "unquote string"),
        (".a 1.2.3", "cannot parse number 1.2.3"),
        (".a ~", "unrecognized character in action: U+007E '~'"),
        (".a\nb", "unclosed action"),
    ],
)
def test_texts_that_are_no_paths_are_refused_in_one_sentence(path: str, told: str) -> None:
    with pytest.raises(ParseError) as raised:
        compile_json_path(path)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


_PIECES = st.sampled_from(
    [
        ".a",
        "..",
        ".*",
        "[0]",
        "[*]",
        "[?(@.a)]",
        "[?(",
        ")]",
        "'",
        '"',
        "\\",
        "{",
        "}",
        "=",
        "1",
        " ",
        "[",
        "]",
        ",",
    ]
)


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(max_size=30))
def test_no_text_breaks_the_parser_or_the_evaluation(text: str) -> None:
    try:
        path = compile_json_path(text)
    except ParseError:
        return
    try:
        path.find(DATA)
    except EvaluationError:
        return


def _nested(depth: int) -> Any:
    return {"a": _nested(depth - 1), "b": [1]} if depth else {"a": 1}


@pytest.mark.parametrize(
    "path",
    [
        "..a" * 12,
        ".." + ".*.." * 12 + "a",
        ".wide" + "[" + ",".join(["*"] * 5000) + "]" + "[0]",
        "['wide'" + ",'wide'" * 5000 + "][*]",
        ".wide[?(@.x==1)]" * 5,
    ],
)
def test_work_is_bounded(path: str) -> None:
    data = {**_nested(60), "wide": [{"x": 1}] * 20_000}
    started = time.process_time()
    with pytest.raises(EvaluationError, match="finds more than"):
        compile_json_path(path).find(data)
    assert time.process_time() - started < 5


def test_filters_nest_only_so_deep() -> None:
    text = "@.x"
    for _ in range(40):
        text = f"@.a'[?({text})]'"
    with pytest.raises(ParseError):
        compile_json_path(f".a[?({text})]")
    with pytest.raises(ParseError):
        compile_json_path(".a" + "[?(@.b'" * 5000)
