"""The error tree: one class per reason, each carrying the whole Status."""

from __future__ import annotations

import pickle

import pytest

from kubewright.machinery import errors
from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.status import Status, StatusCause, StatusDetails


@pytest.mark.parametrize("cls", ApiError.__subclasses__(), ids=lambda cls: cls.__name__)
def test_by_reason(cls: type[ApiError]) -> None:
    error = error_from_status(Status(reason=cls.reason, code=cls.code, message="no"))
    assert type(error) is cls
    assert str(error) == f"no ({cls.code} {cls.reason})"


def test_reason_wins_over_code() -> None:
    assert type(error_from_status(Status(reason="AlreadyExists", code=409))) is errors.AlreadyExists
    assert not issubclass(errors.AlreadyExists, errors.Conflict)


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        (404, errors.NotFound),
        (409, errors.Conflict),
        (410, errors.Gone),
        (500, errors.InternalError),
        (418, ApiError),
    ],
)
def test_by_code(code: int, cls: type[ApiError]) -> None:
    assert type(error_from_status(Status(code=code))) is cls


def test_unknown_reason_and_no_message() -> None:
    error = error_from_status(Status(reason="NewReason", code=418))
    assert str(error) == "the server gave no message (418 NewReason)"
    assert str(error_from_status(Status())) == "the server gave no message"


def test_the_whole_status_is_there() -> None:
    details = StatusDetails(
        name="web", kind="pods", causes=[StatusCause(field="spec.x")], retry_after_seconds=3
    )
    error = error_from_status(Status(reason="Invalid", code=422, message="bad", details=details))
    assert error.status.details is not None
    assert error.status.details.causes[0].field == "spec.x"
    assert error.retry_after == 3
    revived = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(revived) is errors.Invalid
    assert revived.status == error.status


def test_the_drawn_tree_names_every_error() -> None:
    drawn = errors.__doc__ or ""
    missing = [name for name in errors.__all__ if name[0].isupper() and name not in drawn]
    assert missing == []
    for cls in ApiError.__subclasses__():
        assert any(cls.__name__ in line and str(cls.code) in line for line in drawn.splitlines())


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("error", "described"),
    [
        (KeyError("colour"), "KeyError: 'colour'"),
        (OSError(), "OSError"),
        (errors.ParseError("a: is not a number"), "a: is not a number"),
        (errors.ParseError(), "ParseError"),
        (Unspeakable(), "Unspeakable"),
    ],
)
def test_errors_in_words(error: Exception, described: str) -> None:
    assert errors.describe_error(error) == described
