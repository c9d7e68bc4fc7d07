from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.http1.messages import AnswerReader, encode_head

OK = b"HTTP/1.1 200 OK\r\n"


def _read(*pieces: bytes, body_expected: bool = True) -> tuple[AnswerReader, bytes]:
    reader = AnswerReader(body_expected=body_expected)
    return reader, b"".join([reader.feed(piece) for piece in pieces])


def test_a_whole_answer_at_once() -> None:
    reader, body = _read(OK + b"Content-Length: 5\r\nX-A: 1\r\nx-a:  2 \r\n\r\nhello")
    assert (reader.status, body) == (200, b"hello")
    assert reader.headers.getall("X-A") == ["1", "2"]
    assert reader.is_complete
    assert reader.is_reusable
    assert reader.length == 5


@pytest.mark.parametrize(
    "body",
    [
        b"5\r\nhello\r\n0\r\n\r\n",
        b"2\r\nhe\r\n3;note=x\r\nllo\r\n0\r\n\r\n",
        b"5\r\nhello\r\n0\r\nX-Trailer: a\r\nX-More: b\r\n\r\n",
        b"0005 \r\nhello\r\n0\r\n\r\n",
    ],
)
def test_chunks_and_trailers(body: bytes) -> None:
    reader, read = _read(OK + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    assert read == b"hello"
    assert reader.is_complete
    assert reader.is_reusable


@given(st.data(), st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.booleans(), st.booleans())
def test_it_does_not_matter_how_the_bytes_are_cut(
    data: st.DataObject, chunks: list[bytes], compressed: bool, chunked: bool
) -> None:
    body = b"".join(chunks)
    sent = [gzip.compress(body)] if compressed else chunks
    head = OK + (b"Content-Encoding: gzip\r\n" if compressed else b"")
    if chunked:
        head += b"Transfer-Encoding: chunked\r\n\r\n"
        text = head + b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in sent) + b"0\r\nT: 1\r\n\r\n"
    else:
        text = head + b"Content-Length: %d\r\n\r\n" % sum(map(len, sent)) + b"".join(sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=10)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    reader, read = _read(*pieces)
    assert read == body
    assert reader.is_complete
    assert reader.is_reusable


def test_interim_answers_are_passed_over() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    reader, body = _read(b"HTTP/1.1 100 Continue\r\n\r\n" + early + OK + b"Content-Length: 1\r\n\r\nx")
    assert (reader.status, body) == (200, b"x")
    assert "Link" not in reader.headers


def test_answers_without_a_body() -> None:
    assert _read(b"HTTP/1.1 204 No Content\r\n\r\n")[0].is_complete
    assert _read(OK + b"Content-Length: 100\r\n\r\n", body_expected=False)[0].is_complete
    assert _read(OK + b"Content-Length: 0\r\nContent-Encoding: gzip\r\n\r\n")[0].is_complete


def test_a_body_that_ends_with_the_connection() -> None:
    reader, body = _read(OK + b"\r\n", b"hel", b"lo")
    assert body == b"hello"
    assert not reader.is_complete
    with pytest.raises(ValueError, match="in the middle"):
        reader.end(is_clean=False)
    reader.end()
    assert reader.is_complete
    assert not reader.is_reusable


@pytest.mark.parametrize(
    ("head", "is_reusable"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n", False),
        (b"HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\n", False),
        (b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n", True),
        (b"HTTP/1.0 200 OK\r\n", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", True),
    ],
)
def test_whether_the_connection_may_be_used_again(head: bytes, is_reusable: bool) -> None:
    assert _read(head + b"Content-Length: 0\r\n\r\n")[0].is_reusable == is_reusable


def test_what_comes_after_an_answer_is_not_part_of_it() -> None:
    reader, body = _read(OK + b"Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK")
    assert body == b"ok"
    assert not reader.is_reusable
    reader, body = _read(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nmore")
    assert body == b""
    assert not reader.is_reusable


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        OK + b"no colon\r\n\r\n",
        OK + b"Name : space\r\n\r\n",
        OK + b"A: b\r\n folded\r\n\r\n",
        OK + b"A: b\rc\r\n\r\n",
        OK + b"A: b\nX: c\r\n\r\n",
        OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        OK + b"Content-Length: +1\r\n\r\n",
        OK + b"Content-Length: -1\r\n\r\n",
        OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        OK + b"Content-Length: 3\r\nContent-Encoding: br\r\n\r\n",
        OK + b"Content-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc",
        OK + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 5000,
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 100,
        OK + b"A: " + b"b" * (1 << 16),
    ],
)
def test_what_is_not_http_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="answer"):
        _read(text)


def test_a_compressed_body_that_is_cut_off_is_refused() -> None:
    body = gzip.compress(b"hello" * 100)[:-4]
    with pytest.raises(ValueError, match="cut off"):
        _read(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def test_an_answer_that_is_cut_off() -> None:
    for text in (
        b"",
        OK,
        OK + b"Content-Length: 5\r\n\r\nhel",
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello",
    ):
        reader, _ = _read(text)
        assert not reader.is_complete
        with pytest.raises(ValueError, match="in the middle"):
            reader.end()


def test_headers_as_they_are_sent() -> None:
    head = encode_head([("Accept", "application/json"), ("X", "ü")], host="[::1]:6443")
    assert (
        head == "Host: [::1]:6443\r\nAccept: application/json\r\nX: ü\r\nAccept-Encoding: gzip\r\n".encode()
    )
    assert b"gzip" not in encode_head([("accept-encoding", "identity")], host="a")


@pytest.mark.parametrize(
    ("name", "value"), [("A", "x\r\nC: d"), ("A", "x\nC"), ("A", "x\0"), ("A B", "x"), ("", "x")]
)
def test_a_header_cannot_become_two(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="cannot be sent") as refused:
        encode_head([(name, value)], host="a")
    assert "x" not in str(refused.value)
