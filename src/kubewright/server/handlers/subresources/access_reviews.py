"""Access reviews: questions about rights, which are answered and not kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_selectors import parse_field_selector
from kubewright.machinery.label_selectors import Requirement, parse_label_selector
from kubewright.server.admission.unstored import admit_unstored, validate_unstored
from kubewright.server.authorization import Attributes, Authorizer, Rules, aggregate
from kubewright.server.errors import bad_request, check_errors, method_not_allowed
from kubewright.server.handlers.bodies import read_body
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.respond import output_of, plain_answer
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import LARGE_YAML, run_in_worker
from kubewright.server.registry.metadata import match_namespace
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import User

__all__ = ["AccessReviews"]

_LABEL_OPERATORS: Final[Mapping[str, Any]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
}
"""The operators of label selectors in objects, and in the text of selectors."""


class AccessReviews:
    """Answers what an authorizer would say."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer: Final = authorizer

    async def review(self, call: Call, registry: Registry, store: Store) -> Answer:
        """SubjectAccessReview and its local form: whether somebody may do something."""
        obj = await _read(call, store)
        spec = obj["spec"]
        user = User(
            name=spec.get("user") or "",
            uid=spec.get("uid") or "",
            groups=tuple(spec.get("groups") or ()),
            extra=spec.get("extra") or {},
        )
        return await self._answer(call, obj, user)

    async def review_own(self, call: Call, registry: Registry, store: Store) -> Answer:
        """SelfSubjectAccessReview: whether the caller may do something."""
        return await self._answer(call, await _read(call, store), call.user)

    async def review_own_rules(self, call: Call, registry: Registry, store: Store) -> Answer:
        """SelfSubjectRulesReview: what the caller may do in a namespace; nothing of the question is shown."""
        obj = await _read(call, store)
        namespace = (obj.get("spec") or {}).get("namespace") or ""
        if not namespace:
            raise bad_request("no namespace on request")
        rules = self._authorizer.rules_for(call.user, namespace)
        answered = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": {}, "spec": {}}
        return _created(call, {**answered, "status": _rules_status(rules)})

    async def _answer(self, call: Call, obj: Object, user: User) -> Answer:
        spec = obj["spec"]
        resource = spec.get("resourceAttributes")
        if resource is None:
            asked = spec["nonResourceAttributes"]
            attributes = Attributes(
                user=user,
                verb=asked.get("verb") or "",
                is_resource_request=False,
                path=asked.get("path") or "",
            )
        else:
            attributes = _attributes(user, resource)
        decision = self._authorizer.authorize(attributes)
        status: Object = {"allowed": decision.allowed}
        if decision.reason:
            status["reason"] = decision.reason
        if resource is not None:
            if len(call.body) < LARGE_YAML:
                problems = _selector_problems(resource)
            else:
                problems = await run_in_worker(lambda: _selector_problems(resource))
            if problems:
                status["evaluationError"] = "; ".join(problems)
        obj["status"] = status
        return _created(call, obj)


def _attributes(user: User, asked: Object) -> Attributes:
    return Attributes(
        user=user,
        verb=asked.get("verb") or "",
        group=asked.get("group") or "",
        version=asked.get("version") or "*",
        resource=asked.get("resource") or "",
        subresource=asked.get("subresource") or "",
        namespace=asked.get("namespace") or "",
        name=asked.get("name") or "",
    )


def _rules_status(rules: Rules) -> Object:
    status: Object = {
        "resourceRules": [
            _listed(
                verbs=rule.verbs,
                apiGroups=rule.api_groups,
                resources=rule.resources,
                resourceNames=rule.resource_names,
            )
            for rule in rules.rules
            if rule.resources
        ],
        "nonResourceRules": [
            _listed(verbs=rule.verbs, nonResourceURLs=rule.non_resource_urls)
            for rule in rules.rules
            if rule.non_resource_urls
        ],
        "incomplete": False,
    }
    if rules.missing:
        status["evaluationError"] = aggregate(each.told() for each in rules.missing)
    return status


def _listed(**lists: tuple[str, ...]) -> Object:
    return {name: list(texts) for name, texts in lists.items() if texts}


def _selector_problems(asked: Object) -> list[str]:
    """What is told of selectors that nobody can read; RBAC does not look at selectors."""
    found = []
    for name, problem in (("fieldSelector", _field_problem), ("labelSelector", _label_problem)):
        selector = asked.get(name)
        how = "" if selector is None else problem(selector)
        if how:
            found.append(f"spec.resourceAttributes.{name} {how} due to parse error")
    return found


def _field_problem(selector: Object) -> str:
    requirements = selector.get("requirements") or ()
    if not requirements:
        return _text_problem(parse_field_selector, selector)
    good = [
        each
        for each in requirements
        if each.get("operator") in {"In", "NotIn"} and len(each.get("values") or ()) == 1
    ]
    return _how(len(good), len(requirements))


def _label_problem(selector: Object) -> str:
    requirements = selector.get("requirements") or ()
    if not requirements:
        return _text_problem(parse_label_selector, selector)
    good = 0
    for each in requirements:
        try:
            Requirement(
                each.get("key") or "",
                _LABEL_OPERATORS[each.get("operator") or ""],
                tuple(each.get("values") or ()),
            )
        except (KeyError, ParseError):
            continue
        good += 1
    return _how(good, len(requirements))


def _text_problem(parse: Any, selector: Object) -> str:
    try:
        parse(selector.get("rawSelector") or "")
    except ParseError:
        return "ignored"
    return ""


def _how(good: int, of: int) -> str:
    if good == of:
        return ""
    return "partially ignored" if good else "ignored"


async def _read(call: Call, store: Store) -> Object:
    if call.info.verb != "create" or call.info.name:
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    obj = await read_body(call, store.type, options.validation)
    match_namespace(obj["metadata"], call.info.namespace if store.type.served.namespaced else "")
    write = write_of(call, options, namespace=call.info.namespace)
    manager = store.type.manager("")
    sent = obj
    obj = await store.type.managed(
        lambda: manager.update_no_errors(None, sent, manager=write.manager, now=write.now),
        sent,
        size=write.size,
    )
    obj = await admit_unstored(store, obj["metadata"].get("name", ""), obj, write)
    check_errors(store.type.group_kind, "", lambda: store.type.rules.validate(obj))
    await validate_unstored(store, obj["metadata"].get("name", ""), obj, write)
    return obj


def _created(call: Call, obj: Object) -> Answer:
    return plain_answer(call, obj, output_of(call, transforms=False), status=201)
