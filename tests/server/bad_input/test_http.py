"""HTTP and TLS themselves broken: what can be answered is, and the rest ends cleanly."""

from __future__ import annotations

import os
import random
import socket
import ssl
import time

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, config_map, serves
from tests.server.raw_http import JSON, Connection, ask, failure, is_refused

BODY = config_map("a")
DRY = f"{CONFIG_MAPS}?dryRun=All"


def head(
    connection: Connection, line: str = "GET /version HTTP/1.1", *headers: str, host: bool = True
) -> bytes:
    """The head of a request with headers exactly so."""
    token = connection.head("GET", "/").split(b"Authorization: ")[1].split(b"\r\n")[0]
    lines = [line.encode("latin-1"), *([b"Host: x"] if host else []), b"Authorization: " + token]
    return b"\r\n".join([*lines, *(header.encode("latin-1") for header in headers)]) + b"\r\n\r\n"


class TestHeads:
    @pytest.mark.parametrize(
        "line",
        [
            "GET /version",
            "GET  /version HTTP/1.1",
            "GET /a b HTTP/1.1",
            "GET\t/version\tHTTP/1.1",
            "GET /version HTTP/2.0",
            "GET /version HTTP/9.9",
            "GET /version HTTP/1.1 x",
            "GET /version http/1.1",
            "GET ? HTTP/1.1",
            "GET version HTTP/1.1",
            " GET /version HTTP/1.1",
            "/version HTTP/1.1",
            "PRI * HTTP/2.0",
            "\x16\x03\x01",
            "",
        ],
    )
    def test_request_lines(self, server: Cluster, line: str) -> None:
        with Connection(server) as connection:
            connection.send(head(connection, line))
            connection.send(b"\r\n\r\n")
            connection.socket.shutdown(socket.SHUT_RDWR)
        with Connection(server) as connection:
            connection.send(head(connection, line) + b"\r\n\r\n" * 2)
            answer = connection.receive()
            assert answer is None or 200 <= answer.status < 506
            assert answer is None or answer.status not in {500, 502}

    @pytest.mark.parametrize(
        "header",
        [
            "X y: z",
            "no colon",
            ": z",
            "X: a\0b",
            "X : y",
            "X\x7f: y",
            "Content-Length: -1",
            "Content-Length: +5",
            "Content-Length: 0x5",
            "Content-Length: ",
            "Content-Length: 9" + "9" * 30,
            "Content-Length: 1, 2",
            "Transfer-Encoding: zzz",
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: \x0bchunked",
        ],
    )
    def test_headers(self, server: Cluster, header: str) -> None:
        with Connection(server) as connection:
            connection.send(head(connection, f"POST {DRY} HTTP/1.1", f"Content-Type: {JSON}", header) + BODY)
            assert is_refused(connection.receive(), 400, 501)

    def test_two_lengths(self, server: Cluster) -> None:
        lengths = f"Content-Length: {len(BODY)}", "Content-Length: 5"
        with Connection(server) as connection:
            connection.send(head(connection, f"POST {DRY} HTTP/1.1", *lengths) + BODY)
            assert is_refused(connection.receive(), 400)

    def test_a_length_and_chunks(self, server: Cluster) -> None:
        """Whoever reads one and whoever reads the other see different requests: never both."""
        with Connection(server) as connection:
            smuggled = head(connection, f"DELETE {CONFIG_MAPS}/victim HTTP/1.1")
            headers = "Content-Length: 5", "Transfer-Encoding: chunked"
            connection.send(head(connection, f"POST {DRY} HTTP/1.1", *headers) + b"0\r\n\r\n" + smuggled)
            assert is_refused(connection.receive(), 400)

    def test_no_host_and_two(self, server: Cluster) -> None:
        with Connection(server) as connection:
            connection.send(head(connection, host=False))
            assert is_refused(connection.receive(), 400)
        with Connection(server) as connection:
            connection.send(head(connection, "GET /version HTTP/1.1", "Host: y"))
            assert is_refused(connection.receive(), 400)

    @pytest.mark.parametrize("size", [65_536, 500_000])
    def test_large_headers_are_read(self, server: Cluster, size: int) -> None:
        with Connection(server) as connection:
            connection.send(head(connection, "GET /version HTTP/1.1", "X: " + "a" * size))
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 200

    def test_many_headers_are_read(self, server: Cluster) -> None:
        headers = [f"X-{number}: y" for number in range(500)]
        with Connection(server) as connection:
            connection.send(head(connection, "GET /version HTTP/1.1", *headers))
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 200

    @pytest.mark.parametrize("headers", [["X: " + "a" * 8_000_000], [f"X-{n}: y" for n in range(500_000)]])
    def test_too_large_heads_are_refused(self, server: Cluster, headers: list[str]) -> None:
        with Connection(server) as connection:
            connection.send(head(connection, "GET /version HTTP/1.1", *headers))
            assert is_refused(connection.receive(), 400, 431)

    @pytest.mark.parametrize("before", [0, 1])
    def test_heads_are_bounded_as_a_whole(self, server: Cluster, before: int) -> None:
        """Not only each header of theirs: a thousand of them would be kept in memory."""
        with Connection(server) as connection:
            for _ in range(before):
                assert connection.request("POST", DRY, BODY) is not None
            connection.send(head(connection)[:-2])
            sent = 0
            while sent < 100 and connection.send(b"X-Large: " + b"a" * 900_000 + b"\r\n"):
                sent += 1
            # What is on its way when the connection is cut was sent, too.
            assert sent < 30
            assert is_refused(connection.receive(), 400, 431)

    def test_an_endless_head_is_refused(self, server: Cluster) -> None:
        with Connection(server) as connection:
            connection.send(head(connection)[:-2])
            for _ in range(1_500):
                if not connection.send(b"X-Endless: " + b"a" * 65_536 + b"\r\n"):
                    break
            assert is_refused(connection.receive(), 400, 431)

    @pytest.mark.parametrize(
        "method", ["HEAD", "OPTIONS", "TRACE", "PROPFIND", "LINK", "FOO", "get", "X" * 100]
    )
    @pytest.mark.parametrize("path", [CONFIG_MAPS, f"{CONFIG_MAPS}/a"])
    def test_unknown_methods(self, server: Cluster, method: str, path: str) -> None:
        answer = ask(server, method, path)
        if answer is not None and answer.headers.get("Content-Type") == JSON and method != "HEAD":
            failure(answer, 405)
        else:
            assert is_refused(answer, 400, 405)


class TestChunks:
    @pytest.mark.parametrize(
        "chunks",
        [
            b"zz\r\nx\r\n0\r\n\r\n",
            b"-5\r\nx\r\n0\r\n\r\n",
            b"f" * 40 + b"\r\nx\r\n0\r\n\r\n",
            b"5\r\n" + BODY + b"\r\n0\r\n\r\n",
            b"1\r\nxx\r\n0\r\n\r\n",
            b"\r\n\r\n",
            b" 5\r\nhello\r\n0\r\n\r\n",
            b"1;" + b"a" * 3_000_000 + b"\r\nx\r\n0\r\n\r\n",
            b"1\r\nx\r\n0\r\n" + b"X: y\r\n" * 200_000,
        ],
        ids=lambda chunks: repr(chunks[:20]),
    )
    def test_broken(self, server: Cluster, chunks: bytes) -> None:
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
            connection.send(connection.head("POST", DRY, headers) + chunks)
            assert is_refused(connection.receive(), 400)

    def test_one_byte_each(self, server: Cluster) -> None:
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n"
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
            connection.send(connection.head("POST", DRY, headers) + chunks)
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 201

    @pytest.mark.parametrize("sent", [b"", b"5", b"5\r\n", b"7fffffffffffffff\r\n", b"40\r\n" + BODY[:10]])
    def test_cut_off(self, server: Cluster, sent: bytes) -> None:
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
            connection.send(connection.head("POST", CONFIG_MAPS, headers) + sent)
        serves(server)


class TestConnections:
    def test_a_body_that_is_cut_off_creates_nothing(self, server: Cluster) -> None:
        body = config_map("half-sent")
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Content-Length": str(len(body) + 1)}
            connection.send(connection.head("POST", CONFIG_MAPS, headers) + body)
        failure(ask(server, "GET", f"{CONFIG_MAPS}/half-sent"), 404)

    def test_a_client_that_leaves_at_once(self, server: Cluster) -> None:
        for _ in range(50):
            with Connection(server) as connection:
                connection.send(connection.head("GET", "/openapi/v2"))
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        serves(server)

    def test_a_watcher_that_leaves(self, server: Cluster) -> None:
        for _ in range(20):
            with Connection(server) as connection:
                connection.send(connection.head("GET", f"{CONFIG_MAPS}?watch=1"))
        serves(server)

    def test_pipelining(self, server: Cluster) -> None:
        with Connection(server) as connection:
            create = {"Content-Type": JSON, "Content-Length": str(len(BODY))}
            get = connection.head("GET", "/version")
            connection.send((get + connection.head("POST", DRY, create) + BODY) * 20)
            statuses = []
            # The answers come one behind the other; what is read too far must not be lost.
            reader = connection.socket.makefile("rb")
            for _ in range(40):
                statuses.append(int(reader.readline().split()[1]))
                length = 0
                while (line := reader.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                reader.read(length)
            assert statuses == [200, 201] * 20

    def test_http_1_0(self, server: Cluster) -> None:
        with Connection(server) as connection:
            connection.send(connection.head("GET", "/version", version="1.0"))
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 200
            assert connection.is_closed()

    def test_a_watch_over_http_1_0(self, server: Cluster) -> None:
        with Connection(server) as connection:
            target = f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1"
            connection.send(connection.head("GET", target, version="1.0"))
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 200
            assert answer.headers.get("Transfer-Encoding") is None

    def test_garbage_in_tls(self, server: Cluster) -> None:
        source = random.Random(11)  # noqa: S311 - no secret, and the same in every run
        for size in (1, 10, 1_000, 100_000):
            with Connection(server) as connection:
                connection.send(source.randbytes(size) + b"\r\n\r\n")
                assert is_refused(connection.receive(), 400)

    @pytest.mark.parametrize("upgrade", ["websocket", "h2c", "SPDY/3.1", "TLS/1.2"])
    def test_upgrades_that_nothing_serves(self, server: Cluster, upgrade: str) -> None:
        with Connection(server) as connection:
            headers = {"Connection": "Upgrade", "Upgrade": upgrade}
            for _ in range(2):
                answer = connection.request("GET", "/version", headers=headers)
                assert answer is not None
                assert answer.status == 200

    def test_slow_clients_hold_nobody_up(self, server: Cluster) -> None:
        """Two hundred half-sent requests: the server serves others at its usual pace."""
        held = []
        try:
            for number in range(200):
                connection = Connection(server)
                whole = connection.head("POST", DRY, {"Content-Type": JSON, "Content-Length": "500"}) + BODY
                connection.send(whole[: number * len(whole) // 200])
                held.append(connection)
            start = time.monotonic()
            for _ in range(20):
                serves(server)
            assert time.monotonic() - start < 20
            # And they can go on where they were.
            held[100].send(b"".join([held[100].head("GET", "/x")[len(BODY) :]]))
        finally:
            for connection in held:
                connection.socket.close()


class TestTLS:
    def test_plain_http(self, server: Cluster) -> None:
        with Connection(server, tls=False) as connection:
            connection.send(connection.head("GET", "/version"))
            assert is_refused(connection.receive(), 400)

    @pytest.mark.parametrize("size", [0, 1, 5, 1_000, 100_000])
    def test_garbage(self, server: Cluster, size: int) -> None:
        for first in (b"", b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"):
            with Connection(server, tls=False) as connection:
                connection.send(first + os.urandom(size))
                connection.socket.close()

    def test_half_handshakes(self, server: Cluster) -> None:
        held = [Connection(server, tls=False) for _ in range(50)]
        try:
            for connection in held:
                connection.send(b"\x16\x03\x01\x02\x00\x01")
            serves(server)
        finally:
            for connection in held:
                connection.socket.close()

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_old_protocols(self, server: Cluster) -> None:
        context = ssl.create_default_context(cafile=server.ca_file)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises((ssl.SSLError, ConnectionError)):
            Connection(server, context=context)

    def test_a_client_that_does_not_trust_us(self, server: Cluster) -> None:
        with pytest.raises(ssl.SSLCertVerificationError):
            Connection(server, context=ssl.create_default_context())


class TestAccept:
    @pytest.mark.parametrize(
        "accept",
        [
            "text/html",
            "application/xml",
            "application/cbor",
            "a" * 5_000,
            ",,,,",
            ";;;;",
            "application/*",
            "\u00e9",
            "application/json;as=Table",
            "application/json;as=Table;v=v9;g=meta.k8s.io",
            "application/json;as=Zzz;v=v1;g=meta.k8s.io",
            "application/json;stream=zzz",
            "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
        ],
        ids=lambda accept: accept[:50],
    )
    def test_what_cannot_be_made(self, server: Cluster, accept: str) -> None:
        headers = {"Accept": accept}
        with Connection(server) as connection:
            failure(connection.request("GET", CONFIG_MAPS, headers=headers), 406)
            failure(connection.request("GET", f"{CONFIG_MAPS}/nope", headers=headers), 406)
            failure(connection.request("GET", f"{CONFIG_MAPS}?watch=1", headers=headers), 406)
            failure(connection.request("POST", DRY, BODY, headers), 406)

    @pytest.mark.parametrize(
        "accept",
        ["*/*;q=0", "application/json;q=nan", "application/json;q=x", 'application/json;a="', "*/*,,"],
    )
    def test_what_can(self, server: Cluster, accept: str) -> None:
        answer = ask(server, "GET", CONFIG_MAPS, headers={"Accept": accept})
        assert answer is not None
        assert answer.status == 200

    def test_very_many(self, server: Cluster) -> None:
        answer = ask(server, "GET", CONFIG_MAPS, headers={"Accept": "application/json," * 3_000})
        assert answer is not None
        assert answer.status == 200
