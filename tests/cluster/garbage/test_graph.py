"""The graph of owners: what it is after any history, and that nobody whom a change concerns is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from kubewright.cluster.garbage.graph import Concerned, Graph
from kubewright.cluster.garbage.node import FOREGROUND, ORPHAN, Coordinates
from kubewright.machinery.meta import ObjectMeta, OwnerReference

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def reference(uid: str, *, name: str = "", block: bool = False, kind: str = "ConfigMap") -> OwnerReference:
    return OwnerReference(
        api_version="v1", kind=kind, name=name or uid, uid=uid, block_owner_deletion=block or None
    )


def place(uid: str, namespace: str = "team") -> Coordinates:
    return Coordinates("v1", "ConfigMap", namespace, uid)


def metadata(
    uid: str, *owners: OwnerReference, deleting: bool = False, finalizers: Sequence[str] = (), **more: Any
) -> ObjectMeta:
    return ObjectMeta(
        name=uid,
        uid=uid,
        owner_references=list(owners),
        deletion_timestamp=NOW if deleting else None,
        finalizers=list(finalizers),
        **more,
    )


def seen(graph: Graph, uid: str, *owners: OwnerReference, namespace: str = "team", **more: Any) -> Concerned:
    return graph.observe(place(uid, namespace), metadata(uid, *owners, **more))


def to_delete(concerned: Concerned) -> set[str]:
    return {each.uid for each in concerned.to_delete}


def strangers(concerned: Concerned) -> set[tuple[str, str]]:
    return {(each.dependent.uid, each.reference.uid) for each in concerned.strangers}


def test_a_dependent_of_an_owner_that_is_known_concerns_nobody() -> None:
    graph = Graph()
    assert to_delete(seen(graph, "owner")) == set()
    assert to_delete(seen(graph, "child", reference("owner"))) == set()
    assert to_delete(seen(graph, "child", reference("owner"), generation=2)) == set()


def test_a_dependent_of_an_owner_that_is_not_known_is_looked_at() -> None:
    graph = Graph()
    assert to_delete(seen(graph, "child", reference("owner"))) == {"child"}
    # It is looked at already, and the owner turns out to be there.
    assert to_delete(seen(graph, "owner")) == set()


def test_dependents_of_one_that_is_gone_are_looked_at_and_those_that_come_then() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "child", reference("owner"))
    assert to_delete(graph.gone("owner")) == {"child"}
    assert to_delete(seen(graph, "late", reference("owner"))) == {"late"}
    missing = graph.node("owner")
    assert missing is not None
    assert missing.is_missing_at(place("owner"))
    assert not missing.is_missing_at(place("owner", "other"))
    graph.gone("child")
    graph.gone("late")
    assert len(graph) == 0


def test_an_owner_that_waits_is_looked_at_when_the_last_that_blocks_it_is_gone() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "a", reference("owner", block=True))
    seen(graph, "b", reference("owner", block=True))
    seen(graph, "free", reference("owner"))
    concerned = seen(graph, "owner", deleting=True, finalizers=[FOREGROUND])
    assert to_delete(concerned) == {"owner", "a", "b", "free"}
    assert to_delete(graph.gone("a")) == set()
    # It blocks no longer, which is as good.
    assert to_delete(seen(graph, "b", reference("owner"))) == {"owner"}


def test_an_owner_that_waits_is_looked_at_when_the_last_that_blocks_it_names_it_no_longer() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "a", reference("owner", block=True))
    seen(graph, "owner", deleting=True, finalizers=[FOREGROUND])
    assert to_delete(seen(graph, "a")) == {"owner"}


def test_what_comes_when_its_owner_waits_already_goes_with_the_next_one() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "a", reference("owner", block=True))
    seen(graph, "owner", deleting=True, finalizers=[FOREGROUND])
    assert to_delete(seen(graph, "late", reference("owner", block=True))) == set()
    assert to_delete(seen(graph, "free", reference("owner"))) == set()
    assert to_delete(graph.gone("a")) == {"late"}
    assert to_delete(graph.gone("late")) == {"owner"}


def test_orphans_are_asked_for_once() -> None:
    graph = Graph()
    for generation, expected in ((1, ["owner"]), (2, [])):
        concerned = seen(graph, "owner", deleting=True, finalizers=[ORPHAN], generation=generation)
        assert [each.uid for each in concerned.to_orphan] == expected
        assert to_delete(concerned) == set()


def test_an_owner_in_another_namespace_whichever_comes_first() -> None:
    for owner_first in (True, False):
        graph = Graph()
        steps = [
            lambda graph=graph: seen(graph, "owner", namespace="other"),
            lambda graph=graph: seen(graph, "child", reference("owner")),
        ]
        concerned = [step() for step in (steps if owner_first else reversed(steps))]
        assert to_delete(concerned[-1]) == {"child"}
        assert strangers(concerned[-1]) == {("child", "owner")}


def test_an_owner_without_a_namespace_is_that_of_all() -> None:
    graph = Graph()
    graph.observe(Coordinates("v1", "Node", "", "owner"), metadata("owner"))
    assert to_delete(seen(graph, "child", reference("owner", kind="Node"))) == set()


def test_a_dependent_without_a_namespace_and_an_owner_in_one() -> None:
    graph = Graph()
    seen(graph, "owner")
    concerned = graph.observe(Coordinates("v1", "Node", "", "child"), metadata("child", reference("owner")))
    assert to_delete(concerned) == {"child"}
    assert strangers(concerned) == {("child", "owner")}


def test_two_dependents_that_name_an_owner_differently() -> None:
    graph = Graph()
    assert to_delete(seen(graph, "right", reference("owner"))) == {"right"}
    assert to_delete(seen(graph, "wrong", reference("owner", name="another"))) == {"wrong"}
    assert to_delete(seen(graph, "owner")) == {"wrong"}
    assert to_delete(seen(graph, "late", reference("owner", kind="Secret"))) == {"late"}


def test_a_reference_that_comes_to_name_its_owner_wrongly() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "child", reference("owner"))
    assert to_delete(seen(graph, "child", reference("owner", name="another"))) == {"child"}


def test_one_that_owns_itself() -> None:
    graph = Graph()
    assert to_delete(seen(graph, "narcissus", reference("narcissus"))) == set()
    graph.gone("narcissus")
    assert len(graph) == 0


def test_a_kind_that_comes_to_be_served() -> None:
    graph = Graph()
    seen(graph, "child", reference("owner"))
    assert [each.uid for each in graph.of_unseen("", "ConfigMap")] == ["child"]
    assert graph.of_unseen("apps", "ConfigMap") == []
    assert graph.of_unseen("", "Secret") == []
    seen(graph, "owner")
    assert graph.of_unseen("", "ConfigMap") == []


def test_a_kind_whose_preferred_version_changes() -> None:
    graph = Graph()
    seen(graph, "owner")
    seen(graph, "child", reference("owner"))
    graph.observe(Coordinates("v2", "ConfigMap", "team", "owner"), metadata("owner"))
    assert to_delete(graph.gone("owner")) == {"child"}


UIDS = ("a", "b", "c", "d")


class State(NamedTuple):
    """A state of an object."""

    owners: tuple[OwnerReference, ...]
    deleting: bool
    finalizers: tuple[str, ...]

    @property
    def waits(self) -> bool:
        return self.deleting and FOREGROUND in self.finalizers


NAMESPACES = {"a": "team", "b": "team", "c": "", "d": "other"}
"""Where each object is."""

references = st.lists(
    st.builds(
        reference,
        st.sampled_from([*UIDS, "nobody"]),
        name=st.sampled_from(["", "", "", "wrong"]),
        block=st.booleans(),
    ),
    max_size=3,
    unique_by=lambda each: each.uid,
).map(tuple)

states = st.builds(
    State, references, st.booleans(), st.sampled_from([(), (), (FOREGROUND,), (ORPHAN,), ("other",)])
)

histories = st.fixed_dictionaries(
    {uid: st.tuples(st.lists(states, max_size=4), st.booleans()) for uid in UIDS}
)


@st.composite
def observations(draw: st.DrawFn) -> list[tuple[str, State | None]]:
    """Histories of objects in any order of objects, the states of each in their order; None is its end."""
    drawn = draw(histories)
    left: dict[str, list[State | None]] = {}
    for uid, (lived, ends) in drawn.items():
        # Nothing takes back a deletion.
        going = [any(each.deleting for each in lived[: index + 1]) for index in range(len(lived))]
        of = [each._replace(deleting=is_going) for each, is_going in zip(lived, going, strict=True)]
        left[uid] = [*of, *([None] if of and ends else [])]
    order = draw(st.permutations([uid for uid, each in left.items() for _ in each]))
    return [(uid, left[uid].pop(0)) for uid in order]


def dependents_of(known: Mapping[str, State], owner: str) -> set[str]:
    return {uid for uid, state in known.items() if any(each.uid == owner for each in state.owners)}


def doubts(known: Mapping[str, State]) -> set[tuple[str, str, str, str]]:
    """Why objects may have lost an owner: one that is not there, that is not the one meant, or that waits."""
    found = set()
    for uid, state in known.items():
        for each in state.owners:
            owner = known.get(each.uid)
            if owner is None:
                why = "unknown"
            elif each.name != each.uid or NAMESPACES[each.uid] not in {"", NAMESPACES[uid]}:
                why = "another"
            elif owner.waits:
                why = "waits"
            else:
                continue
            found.add((uid, each.uid, each.name, why))
    return found


def freed(known: Mapping[str, State]) -> set[str]:
    """Owners that wait for nobody."""
    return {
        owner
        for owner, state in known.items()
        if state.waits
        and not any(
            each.uid == owner and each.block_owner_deletion
            for other in known.values()
            for each in other.owners
        )
    }


def check(graph: Graph, known: Mapping[str, State]) -> None:
    """The graph is what follows from the states that are known."""
    named = {each.uid for state in known.values() for each in state.owners}
    assert len(graph) == len(named | set(known))
    for uid in named | set(known):
        node = graph.node(uid)
        assert node is not None
        assert node.seen == (uid in known)
        assert {each.uid for each in node.dependents} == dependents_of(known, uid)
        if uid in known:
            state = known[uid]
            assert node.coordinates == place(uid, NAMESPACES[uid])
            assert node.owners == state.owners
            assert (node.deleting, node.foreground) == (state.deleting, state.waits)
            assert node.orphaning == (state.deleting and ORPHAN in state.finalizers)
            assert node.missing == set()


@given(observations())
def test_after_any_history_the_graph_is_what_follows_and_nobody_was_left_out(
    observed: list[tuple[str, State | None]],
) -> None:
    graph = Graph()
    known: dict[str, State] = {}
    for uid, state in observed:
        before = dict(known)
        if state is None:
            del known[uid]
            concerned = graph.gone(uid)
        else:
            known[uid] = state
            found = metadata(uid, *state.owners, deleting=state.deleting, finalizers=state.finalizers)
            concerned = graph.observe(place(uid, NAMESPACES[uid]), found)
        check(graph, known)
        told = to_delete(concerned)
        for dependent, owner, name, why in doubts(known) - doubts(before):
            new = dependent not in before or not any(
                (each.uid, each.name) == (owner, name) for each in before[dependent].owners
            )
            if why == "waits" and new and (before.get(owner) or known[owner]).waits and dependent == uid:
                # Who names an owner that waits already goes with the next one; see `late`.
                continue
            assert dependent in told, (dependent, owner, why)
        assert freed(known) - freed(before) <= told
        for owner, now in known.items():
            is_orphaning = now.deleting and ORPHAN in now.finalizers
            was = before.get(owner)
            was_orphaning = was is not None and was.deleting and ORPHAN in was.finalizers
            assert (is_orphaning and not was_orphaning) == any(
                each.uid == owner for each in concerned.to_orphan
            )


@given(observations())
def test_when_all_are_gone_nothing_is_kept(observed: list[tuple[str, State | None]]) -> None:
    graph = Graph()
    for uid, state in observed:
        if state is None:
            graph.gone(uid)
        else:
            graph.observe(place(uid), metadata(uid, *state.owners, deleting=state.deleting))
    for uid in UIDS:
        graph.gone(uid)
    assert len(graph) == 0
