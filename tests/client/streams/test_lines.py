"""Bytes in pieces become lines: the same ones however they are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.streams.lines import LineSplitter

texts = st.text(alphabet="aé€😀\r\n\n\n", max_size=60)
some_bytes = st.one_of(texts.map(str.encode), st.binary(max_size=60))


def lines(*chunks: bytes, max_line: int = 1 << 20) -> list[str]:
    splitter = LineSplitter(max_line=max_line)
    return [line for chunk in chunks for line in splitter.feed(chunk)] + list(splitter.rest())


def expected(data: bytes) -> list[str]:
    ended = data.split(b"\n")
    if ended[-1] == b"":
        ended.pop()
    return [line.decode(errors="replace") for line in ended]


def test_lines_by_example() -> None:
    assert lines() == []
    assert lines(b"") == []
    assert lines(b"a\nb") == ["a", "b"]
    assert lines(b"a\nb\n") == ["a", "b"]
    assert lines(b"\n\n") == ["", ""]
    assert lines(b"a\r\n") == ["a\r"]
    assert lines(b"caf\xc3", b"\xa9\n") == ["café"]
    assert lines(b"bad \xff byte") == ["bad \ufffd byte"]


@given(st.lists(some_bytes, max_size=8))
def test_where_it_is_cut_does_not_matter(chunks: list[bytes]) -> None:
    assert lines(*chunks) == expected(b"".join(chunks))


@given(st.lists(texts.map(str.encode), max_size=8), st.integers(4, 20))
def test_long_lines_come_in_pieces_of_whole_characters(chunks: list[bytes], max_line: int) -> None:
    data = b"".join(chunks)
    # Wherever the chunks end within a character, as sockets cut.
    pieces = lines(*(data[begin : begin + 7] for begin in range(0, len(data), 7)), max_line=max_line)
    assert all(len(piece.encode()) <= max_line for piece in pieces)
    assert "\ufffd" not in "".join(pieces)
    assert "".join(pieces) == data.decode().replace("\n", "")


@given(st.binary(max_size=200), st.integers(4, 20))
def test_bytes_that_are_no_text_are_bounded_too(data: bytes, max_line: int) -> None:
    assert all(len(piece) <= max_line for piece in lines(data, max_line=max_line))
