"""Runs sequences on two servers, and makes those that show a difference as short as they can be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import define
from tests.conformance.fuzz.compare import Answer, answer_of, differences
from tests.conformance.fuzz.custom_kinds import DEFINITION
from tests.conformance.fuzz.generate import sequence
from tests.conformance.fuzz.normalise import Normaliser
from tests.conformance.fuzz.steps import Request, Seen, Step
from tests.conformance.namespaces import unique

__all__ = ["Difference", "Fuzzer"]


@dataclass(frozen=True)
class Difference:
    """A step of a sequence that was answered differently."""

    seed: int
    length: int
    index: int
    before: list[tuple[int, Request, Answer]]
    """The steps before it, and what both answered."""
    request: Request
    real: Answer
    ours: Answer
    found: list[str]

    @property
    def signature(self) -> str:
        """The same for differences that are likely to have one cause."""
        parts = self.request.path.split("/")
        resource = parts[parts.index("namespaces") + 2]
        return f"{self.request.method} {resource} {self.found[0][:140]}"

    @property
    def places(self) -> list[str]:
        """Where the answers differ."""
        return [line.partition(": ")[0] for line in self.found]

    def __str__(self) -> str:
        steps = ",".join(str(index) for index, _, _ in self.before) + ("," if self.before else "")
        again = f"python -m tests.conformance.fuzz --seed {self.seed} --length {self.length}"
        earlier = [
            f"#{index} {request}\n  -> {answer.code} {_told(answer)}"
            for index, request, answer in self.before
        ]
        return "\n".join(
            [
                f"the servers differ at step {self.index} of the sequence with seed {self.seed}; again with:",
                f"  {again} --steps {steps}{self.index}",
                *earlier,
                f"#{self.index} {self.request}",
                f"  -> real {self.real}",
                f"  -> ours {self.ours}",
                *(f"DIFFERENT {line}" for line in self.found),
            ]
        )


def _told(answer: Answer) -> str:
    return str(answer.body.get("message", "")) if isinstance(answer.body, dict) else ""


class _Side:
    """One server, and what it has shown in a sequence."""

    def __init__(self, client: Client, namespace: str, *, managers: bool) -> None:
        self.client = client
        self.seen = Seen(namespace)
        self.normaliser = Normaliser(managers=managers)

    def do(self, step: Step) -> tuple[Request, Answer]:
        """Sends the request and remembers what comes back."""
        request = step.request(self.seen)
        response = request.send(self.client)
        self._remember(step, request, response)
        return request, answer_of(response, self.normaliser)

    def _remember(self, step: Step, request: Request, response: Response) -> None:
        if response.status >= 300 or "as=" in request.headers["Accept"] or "dryRun" in request.query:
            return
        body = response.json()
        metadata = body.get("metadata") or {}
        if step.method == "GET" and not step.name:
            self.seen.tokens[request.path] = metadata.get("continue", "")
            return
        if body.get("kind") in {"Status", f"{step.kind.kind}List"} or step.method == "DELETE":
            return
        path = request.path
        if step.method == "POST":
            path = f"{path}/{metadata['name']}"
            if start := metadata.get("generateName"):
                self.seen.generated[start] = metadata["name"]
        if step.subresource == "scale" and step.method != "GET":
            # Who scales to the present number may or may not have made a new revision: "idle writes".
            self.seen.objects.pop(path.removesuffix("/scale"), None)
        if step.subresource == "status":
            path = path.removesuffix("/status")
        ending = f"/{step.kind.resource}/{metadata.get('name')}"
        for other in [each for each in self.seen.objects if each.removesuffix("/status").endswith(ending)]:
            # What another version of it was may be old by now, or not: "idle writes".
            del self.seen.objects[other]
        self.seen.objects[path] = body
        if step.subresource != "scale":
            self.seen.objects[f"{path}/status"] = body


class Fuzzer:
    """Two servers, ready to be compared."""

    def __init__(self, real: Client, ours: Client) -> None:
        self._clients = (real, ours)
        self._pool = ThreadPoolExecutor(1)
        for client in self._clients:
            define(client, DEFINITION)

    def run(self, seed: int, length: int, only: set[int] | None = None) -> Difference | None:
        """The first difference that a sequence shows, of all its steps or of only some."""
        steps = list(enumerate(sequence(seed, length)))
        return self._run(seed, length, [each for each in steps if only is None or each[0] in only])

    def shortened(self, found: Difference) -> Difference:
        """The same difference with as few steps before it as show it."""
        numbered = dict(enumerate(sequence(found.seed, found.length)))
        kept = [index for index, _, _ in found.before]
        for index in reversed(list(kept)):
            fewer = [each for each in kept if each != index]
            steps = [(each, numbered[each]) for each in [*fewer, found.index]]
            again = self._run(found.seed, found.length, steps)
            if again is not None and (again.index, again.places) == (found.index, found.places):
                kept, found = fewer, again
        return found

    def _run(self, seed: int, length: int, steps: list[tuple[int, Step]]) -> Difference | None:
        namespace = unique("fuzz")
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        for client in self._clients:
            assert client.post("/api/v1/namespaces", body).status == 201
        try:
            managers = not any(step.subresource == "scale" and step.method != "GET" for _, step in steps)
            sides = [_Side(each, namespace, managers=managers) for each in self._clients]
            return self._compared(seed, length, steps, sides)
        finally:
            if any(step.kind.resource == "services" for _, step in steps):
                for client in self._clients:
                    _free_addresses(client, namespace)

    def _compared(
        self, seed: int, length: int, steps: list[tuple[int, Step]], sides: list[_Side]
    ) -> Difference | None:
        real_side, our_side = sides
        before: list[tuple[int, Request, Answer]] = []
        for index, step in steps:
            pending = self._pool.submit(real_side.do, step)
            try:
                _, ours = our_side.do(step)
            finally:
                request, real = pending.result()
            if found := differences(real, ours):
                return Difference(seed, length, index, before, request, real, ours, found)
            before.append((index, request, real))
        return None

    def close(self) -> None:
        """Ends the thread."""
        self._pool.shutdown()


def _free_addresses(client: Client, namespace: str) -> None:
    """Deletes the services: there are 254 addresses for all of them."""
    path = f"/api/v1/namespaces/{namespace}/services"
    found: dict[str, Any] = client.get(path).json()
    for each in found["items"]:
        one = f"{path}/{each['metadata']['name']}"
        client.delete(one)
        client.patch(one, {"metadata": {"finalizers": None}})
