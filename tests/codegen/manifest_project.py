"""A small operator, as files: a kind with two versions, a controller, marks and webhooks."""

from __future__ import annotations

import textwrap
from pathlib import Path

__all__ = ["write_operator", "write_package"]

_KINDS = '''
    from typing import Annotated

    from kubewright import EMPTY, Field, PrinterColumn, Resource, Struct, custom_resource, rule
    from kubewright.models.core_v1 import PodTemplateSpec


    @rule("self.replicas < 100 || self.large", message="more than 100 is large")
    class CustomPodSpec(Struct):
        """What is wanted."""

        replicas: Annotated[int, Field(minimum=0, maximum=1000, default=1)] = 1
        """How many pods there shall be: none is allowed."""
        large: Annotated[bool, Field(default=False)] = False
        template: PodTemplateSpec | None = None


    class CustomPodStatus(Struct):
        replicas: int = 0
        pod_names: list[str] = []


    @custom_resource(group="GROUP", version="v1beta1", kind="CustomPod", storage=False)
    class CustomPodV1Beta1(Resource):
        """The older version."""

        spec: CustomPodSpec = EMPTY


    @custom_resource(
        group="GROUP",
        version="v1",
        short_names=["cpod"],
        subresources=["status", "scale"],
        columns=[PrinterColumn("Replicas", ".spec.replicas")],
        versions=[CustomPodV1Beta1],
    )
    class CustomPod(Resource):
        """Keeps pods."""

        spec: CustomPodSpec
        status: CustomPodStatus = EMPTY
'''

_CONTROLLER = '''
    from kubewright import Context, LabelSelector, ObjectMeta, Request
    from kubewright.controllers import rbac, set_controller_reference, status_of
    from kubewright.models.core_v1 import ConfigMap, Pod, Secret
    from kubewright.webhooks import Review, defaulting, validating

    from .kinds import CustomPod

    print("printed when it is imported")


    @rbac(CustomPod, verbs=["update", "patch"])
    @rbac(urls=["/metrics"], verbs=["get"])
    async def reconcile(ctx: Context, request: Request) -> None:
        """Not run."""
        wanted = await ctx.client.api(CustomPod, request.namespace).get(request.name)
        pod = Pod(metadata=ObjectMeta(name=request.name))
        set_controller_reference(wanted, pod)
        await ctx.client.api(Pod, request.namespace).create(pod)
        async with status_of(ctx, wanted):
            wanted.status.replicas = 1


    class Reconciler:
        @rbac(Secret, verbs=["get"], names=["token"], namespace="NAMESPACE")
        async def token(self) -> None: ...


    @defaulting(CustomPod)
    async def complete(review: Review[CustomPod]) -> None: ...


    @validating(
        CustomPod,
        operations=["DELETE", "CREATE"],
        timeout_seconds=3,
        match_policy="Exact",
        namespace_selector=LabelSelector(match_labels={"guarded": "yes"}),
        match_conditions={"not-me": "request.userInfo.username != 'me' || object == null"},
    )
    async def check(review: Review[CustomPod]) -> None: ...


    @validating(Pod, failure_policy="Ignore", object_selector=LabelSelector(match_labels={"guarded": "yes"}))
    async def check_pod(review: Review[Pod]) -> None: ...


    def setup(manager) -> None:
        manager.controller(CustomPod, reconcile, owns=[Pod], watches=[ConfigMap], workers=3)
        manager.webhook(complete)
        manager.webhook(check)
        manager.webhook(check_pod)
'''


def write_package(folder: Path, package: str, files: dict[str, str], settings: str = "") -> Path:
    """A project with a package in `src`; gives the package's folder."""
    place = folder / "src" / package
    place.mkdir(parents=True, exist_ok=True)
    for name, text in {"__init__.py": "", **files}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(textwrap.dedent(text))
    (folder / "pyproject.toml").write_text(f'[tool.kubewright]\npackage = "{package}"\n{settings}')
    return place


def write_operator(
    folder: Path, package: str, *, group: str = "zhhnzw.mock.com", namespace: str = "vault"
) -> Path:
    """The operator above, with a setup function in its settings."""
    kinds = _KINDS.replace("GROUP", group)
    controller = _CONTROLLER.replace("NAMESPACE", namespace)
    return write_package(
        folder,
        package,
        {"kinds.py": kinds, "controller.py": controller},
        f'setup = "{package}.controller:setup"\n',
    )
