"""Sites in three versions, with real differences between them; nothing is lost on any way there and back."""

from __future__ import annotations

from typing import Annotated

from kubewright import Field, Resource, Struct, custom_resource
from kubewright.crd import ConversionError

__all__ = [
    "MAX_REPLICAS",
    "Endpoint",
    "Replicas",
    "Site",
    "SiteSpec",
    "SiteSpecV1Alpha1",
    "SiteSpecV1Beta1",
    "SiteStatus",
    "SiteStatusV1Beta1",
    "SiteV1Alpha1",
    "SiteV1Beta1",
]

GROUP = "sites.example.com"

MAX_REPLICAS = "sites.example.com/max-replicas"
"""The annotation with what v1alpha1 has no field for."""

Port = Annotated[int, Field(minimum=1, maximum=65535)]


class Replicas(Struct):
    min: int
    max: int


class SiteSpec(Struct):
    host: str
    port: Port
    replicas: Replicas
    tags: list[str] = []


class SiteStatus(Struct):
    ready: int


class Endpoint(Struct):
    hostname: str
    port: str


class SiteSpecV1Alpha1(Struct):
    endpoint: Endpoint
    size: int
    tags: list[str] = []


@custom_resource(group=GROUP, version="v1alpha1", kind="Site", storage=False, deprecated=True)
class SiteV1Alpha1(Resource):
    """The port is a text, and there is one number of replicas."""

    spec: SiteSpecV1Alpha1
    status: SiteStatus | None = None

    def to_hub(self) -> Site:
        """What stands in the annotation goes back into the field."""
        spec = self.spec
        most = self.metadata.annotations.pop(MAX_REPLICAS, spec.size)
        return Site(
            metadata=self.metadata,
            spec=SiteSpec(
                host=spec.endpoint.hostname,
                port=int(spec.endpoint.port),
                replicas=Replicas(min=spec.size, max=int(most)),
                tags=spec.tags,
            ),
            status=self.status,
        )

    @classmethod
    def from_hub(cls, hub: Site) -> SiteV1Alpha1:
        """The most replicas become an annotation where they are not the least as well."""
        spec = hub.spec
        made = cls(
            spec=SiteSpecV1Alpha1(
                endpoint=Endpoint(hostname=spec.host, port=str(spec.port)),
                size=spec.replicas.min,
                tags=spec.tags,
            ),
            status=hub.status,
        )
        if spec.replicas.max != spec.replicas.min:
            made.metadata.annotations[MAX_REPLICAS] = str(spec.replicas.max)
        return made


class SiteSpecV1Beta1(Struct):
    address: str
    min_replicas: int
    max_replicas: int
    keywords: list[str] = []


class SiteStatusV1Beta1(Struct):
    ready_replicas: int


@custom_resource(group=GROUP, version="v1beta1", kind="Site", storage=False, subresources=["status"])
class SiteV1Beta1(Resource):
    """Host and port are one text, and the numbers of replicas are not in a struct of their own."""

    spec: SiteSpecV1Beta1
    status: SiteStatusV1Beta1 | None = None

    def to_hub(self) -> Site:
        """The address is split."""
        host, colon, port = self.spec.address.rpartition(":")
        if not colon:
            raise ConversionError(f"the address {self.spec.address!r} has no port; write HOST:PORT")
        return Site(
            spec=SiteSpec(
                host=host,
                port=int(port),
                replicas=Replicas(min=self.spec.min_replicas, max=self.spec.max_replicas),
                tags=self.spec.keywords,
            ),
            status=None if self.status is None else SiteStatus(ready=self.status.ready_replicas),
        )

    @classmethod
    def from_hub(cls, hub: Site) -> SiteV1Beta1:
        """The address is put together."""
        return cls(
            spec=SiteSpecV1Beta1(
                address=f"{hub.spec.host}:{hub.spec.port}",
                min_replicas=hub.spec.replicas.min,
                max_replicas=hub.spec.replicas.max,
                keywords=hub.spec.tags,
            ),
            status=None if hub.status is None else SiteStatusV1Beta1(ready_replicas=hub.status.ready),
        )


@custom_resource(
    group=GROUP,
    version="v1",
    kind="Site",
    subresources=["status"],
    versions=[SiteV1Beta1, SiteV1Alpha1],
)
class Site(Resource):
    """The hub."""

    spec: SiteSpec
    status: SiteStatus | None = None
