"""Watch frames: cutting a stream into events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import DecodeError, Expired, InternalError
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.machinery.watch import FrameReader, WatchDecoder, encode_event


class Widget(Resource, api_version="example.com/v1", kind="Widget"):
    note: str = ""


WIDGET = b'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"resourceVersion":"5"},"note":"n"}'
FRAME = b'{"type":"ADDED","object":%b}' % WIDGET


class TestFrameReader:
    @given(
        st.lists(st.binary(min_size=1, max_size=20).map(lambda line: line.replace(b"\n", b"x") + b"!")),
        st.data(),
    )
    def test_frames_do_not_depend_on_chunks(self, lines: list[bytes], data: st.DataObject) -> None:
        stream = b"".join(line + b"\n" for line in lines)
        reader = FrameReader()
        frames: list[bytes] = []
        while stream:
            cut = data.draw(st.integers(1, len(stream)))
            frames += reader.feed(stream[:cut])
            stream = stream[cut:]
        reader.finish()
        assert frames == lines

    def test_empty_lines_are_no_frames(self) -> None:
        assert FrameReader().feed(b"\n\r\n  \na\n") == [b"a"]

    def test_a_cut_off_frame_is_noticed(self) -> None:
        reader = FrameReader()
        assert reader.feed(b'{"type":"ADD') == []
        with pytest.raises(DecodeError, match="cut off inside a frame, after 12 bytes"):
            reader.finish()

    @pytest.mark.parametrize(
        "chunks", [[b"x" * 11], [b"xxxx"] * 3, [b"x" * 11 + b"\n"], [b"xxxx", b"x" * 8 + b"\n"]]
    )
    def test_frames_are_bounded(self, chunks: list[bytes]) -> None:
        reader = FrameReader(max_frame=10)
        for chunk in chunks[:-1]:
            assert reader.feed(chunk) == []
        with pytest.raises(DecodeError, match="10 are the most"):
            reader.feed(chunks[-1])


class TestWatchDecoder:
    def test_an_event(self) -> None:
        event = WatchDecoder(Widget).decode(FRAME)
        assert (event.type, event.object.note, event.resource_version) == ("ADDED", "n", "5")
        untyped = WatchDecoder(Unstructured).decode(FRAME)
        assert untyped.object["note"] == "n"

    def test_round_trip(self) -> None:
        frame = encode_event("DELETED", WatchDecoder(Widget).decode(FRAME).object.to_json())
        assert frame.endswith(b"\n")
        assert WatchDecoder(Widget).decode(frame).type == "DELETED"

    def test_the_end_of_initial_events(self) -> None:
        end = (
            b'{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}'
        )
        assert WatchDecoder(Widget).decode(end).ends_initial_events
        assert not WatchDecoder(Widget).decode(FRAME).ends_initial_events

    def test_errors_of_the_server(self) -> None:
        status = b'{"kind":"Status","apiVersion":"v1","message":"too old","reason":"Expired","code":410}'
        gone = b'{"type":"ERROR","object":%b}' % status
        with pytest.raises(Expired, match=r"too old \(410 Expired\)") as caught:
            WatchDecoder(Widget).decode(gone)
        assert caught.value.status.code == 410
        with pytest.raises(InternalError):
            WatchDecoder(Widget).decode(b'{"type":"ERROR","object":{"code":500}}')

    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (b'{"type":"ADDED"}', "watch frame: object missing required field object"),
            (b'{"type":"CHANGED","object":{}}', "unknown event type 'CHANGED'"),
            (
                b'{"type":"ADDED","object":{"metadata":{"name":1}}}',
                r"watch frame object\.metadata\.name: expected str",
            ),
            (b"<html>", "watch frame: JSON is malformed"),
            (b'{"type":', "watch frame: input data was truncated"),
        ],
    )
    def test_bad_frames(self, frame: bytes, message: str) -> None:
        with pytest.raises(DecodeError, match=message):
            WatchDecoder(Widget).decode(frame)
