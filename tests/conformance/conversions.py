"""Widgets of two versions between which a webhook converts: `size` of v1 is `width` in v2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import Client, Response
from tests.conformance.conversion_webhook import ConversionWebhook
from tests.conformance.custom_resources import DEFINITIONS, definition, new_group, version
from tests.conformance.waiting import eventually

__all__ = ["Conversions", "convert", "two_versions"]


def two_versions(storage: str = "v1") -> list[dict[str, Any]]:
    """v1 and v2, each with a field that the other calls by another name, and one that the other has not."""
    made = [_version("v1", "size", "one"), _version("v2", "width", "two")]
    return [{**each, "storage": each["name"] == storage} for each in made]


def _version(name: str, renamed: str, only: str) -> dict[str, Any]:
    number, text = {"type": "integer"}, {"type": "string"}
    spec = {renamed: number, "title": text, only: {**text, "default": f"only {name}"}}
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": spec},
            "status": {"type": "object", "properties": {renamed: number}},
        },
    }
    columns = [{"name": renamed, "type": "integer", "jsonPath": f".spec.{renamed}"}]
    return version(
        name,
        schema,
        subresources={"status": {}},
        selectableFields=[{"jsonPath": f".spec.{renamed}"}],
        additionalPrinterColumns=columns,
    )


@dataclass(frozen=True)
class Conversions:
    """A definition that is served in both versions."""

    client: Client
    webhook: ConversionWebhook
    group: str

    @property
    def definition(self) -> str:
        """The path of the definition."""
        return f"{DEFINITIONS}/widgets.{self.group}"

    def path(self, version_name: str, namespace: str, name: str = "") -> str:
        """The path of a collection, or of a widget."""
        path = f"/apis/{self.group}/{version_name}/namespaces/{namespace}/widgets"
        return f"{path}/{name}" if name else path

    def widget(self, version_name: str, name: str, **spec: Any) -> dict[str, Any]:
        """A widget of a version."""
        return {
            "apiVersion": f"{self.group}/{version_name}",
            "kind": "Widget",
            "metadata": {"name": name},
            "spec": spec,
        }

    def create(self, version_name: str, namespace: str, name: str, **spec: Any) -> Any:
        """Creates a widget, which must succeed."""
        body = self.widget(version_name, name, **spec)
        response = self.client.post(self.path(version_name, namespace), body)
        assert response.status == 201, response.text
        return response.json()

    def get(self, version_name: str, namespace: str, name: str) -> Any:
        """A widget, which must be there."""
        response = self.client.get(self.path(version_name, namespace, name))
        assert response.status == 200, response.text
        return response.json()

    def list(self, version_name: str, namespace: str, **query: Any) -> Any:
        """The widgets of a namespace, when the server is ready for it: it fills a cache first."""
        return self.ready(lambda: self.client.get(self.path(version_name, namespace), **query)).json()

    def ready(self, ask: Callable[[], Response]) -> Response:
        """The answer to a read that may come too early for the cache of a real server (429)."""
        last: list[Response] = []

        def answered() -> bool:
            last[:] = [ask()]
            return last[0].status != 429

        eventually(answered, "the cache is not ready")
        assert last[0].status == 200, last[0].text
        return last[0]

    def change(self, change: Callable[[dict[str, Any]], None], done: Callable[[], bool]) -> None:
        """Changes the spec of the definition, and waits until it shows."""
        obj = self.client.get(self.definition).json()
        change(obj["spec"])
        response = self.client.put(self.definition, obj)
        assert response.status == 200, response.text
        eventually(done, "the changed definition is not served")


def convert(client: Client, webhook: ConversionWebhook, **conversion: Any) -> Conversions:
    """Defines widgets that a webhook converts; `conversion` is laid over `spec.conversion.webhook`."""
    made = Conversions(client, webhook, new_group())
    spec = webhook.conversion()
    spec["webhook"].update(conversion)
    response = client.post(DEFINITIONS, definition(made.group, *two_versions(), conversion=spec))
    assert response.status == 201, response.text
    for name in ("v1", "v2"):
        path = f"/apis/{made.group}/{name}/widgets"
        eventually(lambda path=path: client.get(path).status == 200, f"{path} is not served")  # type: ignore[misc]
    return made
