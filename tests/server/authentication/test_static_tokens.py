"""Files of tokens, in upstream's form."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kubewright.server.authentication.static_tokens import (
    StaticTokens,
    TokenFileInvalid,
    read_token_file,
    token_digest,
)
from kubewright.server.registry.write import User

SECRET = "s3cr3t-0f-jane"  # noqa: S105 - of nobody


def read(folder: Path, text: str | bytes) -> dict[str, User]:
    path = folder / "tokens.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_token_file(path)


def test_lines(tmp_path: Path) -> None:
    text = f'{SECRET},jane,uid-1,"a,b"\nother,joe,uid-2\n\n"with,comma","Mr. ""X""","",one\n,nobody,x\n'
    assert read(tmp_path, text) == {
        SECRET: User(name="jane", uid="uid-1", groups=("a", "b")),
        "other": User(name="joe", uid="uid-2"),
        "with,comma": User(name='Mr. "X"', groups=("one",)),
    }


def test_the_last_of_the_same_counts(tmp_path: Path) -> None:
    assert read(tmp_path, "t,a,1\nt,b,2\n")["t"].name == "b"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f"{SECRET},jane\n", 1, "has 2 columns; it needs token, user and uid"),
        (f"a,b,c\n{SECRET}\n", 2, "has 1 columns; it needs token, user and uid"),
        (f'a,b,c\n{SECRET},jane,"x\n', 2, "is no CSV"),
        (f'{SECRET},jane,"x"y\n', 1, "is no CSV"),
        (b"a,b,c\n" + SECRET.encode() + b",\xff,x\n", 2, "is no UTF-8"),
    ],
)
def test_mistakes_are_told_without_the_token(tmp_path: Path, text: str | bytes, line: int, why: str) -> None:
    with pytest.raises(TokenFileInvalid) as caught:
        read(tmp_path, text)
    told = str(caught.value)
    assert told.startswith(f"line {line} of the token file {tmp_path / 'tokens.csv'} {why}")
    assert SECRET not in told
    # Nor with a traceback.
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TokenFileInvalid, match="cannot be read: No such file"):
        read_token_file(tmp_path / "none")


def test_looking_them_up() -> None:
    tokens = StaticTokens({SECRET: User(name="jane")}, ["api"])

    async def ask(token: str, *audiences: str) -> str:
        found = await tokens.authenticate(token, token_digest(token), audiences or ["api"])
        return "" if found is None else found.user.name

    async def all_of_it() -> None:
        assert await ask(SECRET) == "jane"
        assert await ask(SECRET, "else", "api") == "jane"
        assert await ask(SECRET, "else") == ""
        for other in ("", SECRET[:-1], SECRET + "x", SECRET.upper(), "\udcff"):
            assert await ask(other) == ""

    asyncio.run(all_of_it())


def test_no_token_is_kept() -> None:
    tokens = StaticTokens({SECRET: User(name="jane")}, ["api"])
    assert SECRET not in repr(vars(tokens))


def test_lines_end_with_newlines_alone(tmp_path: Path) -> None:
    """Of what Python takes for the end of a line, the rest is part of a name."""
    file = tmp_path / "tokens.csv"
    odd = "u1\u2028t2,admin,u2,system:masters"
    file.write_text(f't1,jane,"{odd}"\nt3,joe\x0b\x85,u\x1c3\r\n', newline="")
    users = read_token_file(file)
    assert {token: (user.name, user.uid) for token, user in users.items()} == {
        "t1": ("jane", odd),
        "t3": ("joe\x0b\x85", "u\x1c3"),
    }
