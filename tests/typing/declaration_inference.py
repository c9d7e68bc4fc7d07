"""What a type checker must see of marks and webhooks. Not run: `test_typing.py` gives it to mypy."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, assert_type

from kubewright.controllers import rbac
from kubewright.controllers.declared import Declarations
from kubewright.models.apps_v1 import Deployment
from kubewright.models.autoscaling_v1 import Scale
from kubewright.models.core_v1 import Pod, PodSpec
from kubewright.webhooks import Denied, Review, WebhookServer, defaulting, validating


@rbac(Pod, verbs=["get"], subresource="log")
@rbac(groups=[""], resources=["pods"], verbs=["get"], names=["a"], namespace="b")
@rbac(urls=["/metrics"], verbs=["get"])
async def reconcile(name: str, *, times: int = 1) -> bool:
    return bool(name) and times > 0


@rbac(Pod, verbs=["get"])
class Reconciler:
    @rbac(Pod, verbs=["list"])
    def method(self, name: str) -> int:
        return len(name)


@defaulting(Pod)
async def complete(review: Review[Pod]) -> None:
    review.object.metadata.labels["seen"] = "yes"
    assert_type(review.object, Pod)
    assert_type(review.old, Pod | None)
    assert_type(review.user.groups, tuple[str, ...])
    review.object.metadata.name = 3  # type: ignore[assignment]
    _ = review.old.spec  # type: ignore[union-attr]
    review.old = None  # type: ignore[misc]


@validating(Pod, operations=["CREATE", "DELETE"], failure_policy="Ignore", match_policy="Exact")
async def check(review: Review[Pod]) -> None:
    raise Denied("no", reason="Conflict")


@validating(Scale, parent=Deployment, subresource="scale")
async def scaled(review: Review[Scale]) -> None:
    assert_type(review.object, Scale)


async def kept(declared: Declarations) -> None:
    assert_type(await reconcile("a", times=2), bool)
    assert_type(Reconciler(), Reconciler)
    assert_type(Reconciler().method("a"), int)
    assert_type(complete, Callable[[Review[Pod]], Coroutine[Any, Any, None]])
    assert_type(WebhookServer().add(complete), Callable[[Review[Pod]], Coroutine[Any, Any, None]])
    await check(Review(Pod(), old=Pod(), operation="UPDATE"))
    declared.controller(Pod, reconcile, owns=[Deployment])
    declared.webhook(check)
    await reconcile(3)  # type: ignore[arg-type]
    await complete(Pod())  # type: ignore[arg-type]
    await complete(Review(Deployment()))  # type: ignore[arg-type]
    WebhookServer().add(reconcile)  # type: ignore[arg-type]


rbac(Pod)  # type: ignore[call-overload]
rbac(Pod, verbs="get", groups=[""])  # type: ignore[call-overload]
rbac(groups=[""], verbs=["get"])  # type: ignore[call-overload]
defaulting(PodSpec)  # type: ignore[type-var]
validating(Pod, operations=["create"])  # type: ignore[list-item]
validating(Pod, failure_policy="fail")  # type: ignore[arg-type]
validating(Pod, reinvocation_policy="Never")  # type: ignore[call-arg]


@validating(Pod)  # type: ignore[arg-type]
async def of_another_kind(review: Review[Deployment]) -> None: ...


@validating(Pod)  # type: ignore[arg-type]
async def of_the_object(pod: Pod) -> None: ...


@validating(Pod)  # type: ignore[arg-type]
async def with_an_answer(review: Review[Pod]) -> bool:
    return True


@defaulting(Pod)  # type: ignore[arg-type]
def not_async(review: Review[Pod]) -> None: ...
