"""Declarations that no server would take fail when the class is made, with a sentence that helps."""

import enum
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
import pytest

from kubewright import (
    EMPTY,
    DeclarationError,
    Field,
    KubewrightError,
    PrinterColumn,
    Resource,
    Rule,
    Scale,
    Struct,
    custom_resource,
    field,
    rule,
)
from kubewright.machinery.meta import ObjectMeta
from tests.cel import needs_cel

GROUP = "example.com"


def declare(annotation: Any, default: Any = None, **options: Any) -> type[Resource]:
    """A kind `Thing` whose spec has the field `value`."""
    given = {} if default is msgspec.NODEFAULT else {"value": default}
    namespace = {"__annotations__": {"value": annotation}, "__module__": __name__, **given}
    spec = type(Struct)("Spec", (Struct,), namespace)
    return kind_of(spec, **options)


def kind_of(spec: Any, **options: Any) -> type[Resource]:
    thing: Any = type(Resource)("Thing", (Resource,), {"__annotations__": {"spec": spec}})
    made: type[Resource] = custom_resource(**{"group": GROUP, "version": "v1", **options})(thing)
    return made


class Element(Struct):
    name: str = ""
    count: int | None = None
    inner: ObjectMeta = EMPTY


class Replicas(Struct):
    replicas: int = 0
    name: str = ""


class Untagged(Struct):
    a: int = 0


class One(Struct, tag="one", tag_field="type"):
    size: int = 0


class AlsoOne(Struct, tag="one", tag_field="type"):
    other: int = 0


class OtherSize(Struct, tag="other", tag_field="type"):
    size: str = ""


class Mixed(enum.Enum):
    A = "a"
    B = 1


@pytest.mark.parametrize(
    ("annotation", "default", "said"),
    [
        (Annotated[str, Field(minimum=1)], "", "Spec.value: Field(minimum=...) is for integer or number"),
        (Annotated[int, Field(max_length=1)], 0, "Field(max_length=...) is for string"),
        (Annotated[int, Field(min_items=1)], 0, "Field(min_items=...) is for array"),
        (Annotated[list[str], Field(max_properties=1)], [], "Field(max_properties=...) is for object"),
        (Annotated[str, Field(list_type="set")], "", "Field(list_type=...) is for array"),
        (Annotated[str, Field(unique_items=True)], "", "Field(unique_items=...) is for array"),
        (Annotated[int, Field(minimum=2, maximum=1)], 0, "minimum=2 is more than maximum=1"),
        (Annotated[str, Field(min_length=2, max_length=1)], "", "min_length=2 is more than max_length=1"),
        (Annotated[str, Field(max_length=-1)], "", "Field(max_length=-1) is no count"),
        (Annotated[int, Field(minimum=0.5)], 0, "minimum=0.5 is no whole number"),
        (Annotated[int, Field(multiple_of=0)], 0, "multiple_of=0 must be more than 0"),
        (Annotated[int, Field(exclusive_minimum=True)], 0, "give both"),
        (Annotated[str, Field(pattern="(")], "", "the pattern '(' is no regular expression of Go's"),
        (Annotated[str, Field(pattern="(?=a)")], "", "is no regular expression of Go's"),
        (Annotated[str, Field(format="zipcode")], "", "format='zipcode' is none that the API server knows"),
        (Annotated[str, Field(format=None)], "", "format=None is for integer or number, and this is string"),
        (
            Annotated[int, Field(format="date")],
            0,
            "format='date' is none that the API server knows for integer",
        ),
        (Annotated[int, Field(minimum=1)], -1, "the default -1 is none that the field takes"),
        (Literal["a", "b"], "c", "the default 'c' is none that the field takes"),
        (Annotated[int, Field(default=1)], 0, "Field(default=1) is not what the attribute reads as"),
        (
            Annotated[int, Field(default=1)] | None,
            None,
            "Field(default=1) is not what the attribute reads as",
        ),
        (Annotated[int, Field(nullable=True)], 0, "write its type as ... | None"),
        (int | None, msgspec.NODEFAULT, "Spec.value may be None but has no default"),
        (int | float, 0, "no place for the union int | float"),
        (str | list[str], "", "no place for the union str | list[str]"),
        (One | Untagged, None, "cannot be told apart"),
        (One | AlsoOne | None, None, "two members of the union have one tag"),
        (One | OtherSize | None, None, "'size' has different schemas in the members"),
        (timedelta | None, None, "timedelta has no structural schema; use"),
        (complex | None, None, "complex has no structural schema"),
        (tuple[int, str] | None, None, "has no structural schema"),
        (msgspec.Struct | None, None, "Struct has no structural schema"),
        (Resource | None, None, "Resource has no kind; use Unstructured"),
        (list, [], "list says nothing of its elements; write list[str]"),
        (dict[int, str], {}, "the keys of JSON objects are texts"),
        (Literal["a", 1], "a", "must all be str or all be int"),
        (Mixed | None, None, "must all be str or all be int"),
        (Annotated[list[str], Field(list_type="map")], [], "map_keys are for list_type='map'"),
        (Annotated[list[Element], Field(map_keys=("name",))], [], "map_keys are for list_type='map'"),
        (
            Annotated[list[Element], Field(list_type="map", map_keys=("nam",))],
            [],
            "'nam', which is no scalar field of its elements on the wire (they have name, count, inner)",
        ),
        (Annotated[list[Element], Field(list_type="map", map_keys=("inner",))], [], "no scalar field"),
        (
            Annotated[list[Element], Field(list_type="map", map_keys=("count",))],
            [],
            "told apart by 'count', which must have a value; make it required or give it a default",
        ),
        (Annotated[list[Element], Field(list_type="set")], [], "told apart whole"),
        (set[Element], [], "told apart whole"),
        (Annotated[list[str | None], Field(list_type="set")], [], "cannot be None"),
        (Annotated[int, msgspec.Meta(ge=1)], 1, "msgspec.Meta(ge=...) would not be in the schema"),
        (Annotated[int, Field(rules=("self > 0",))], 1, "write rules=(Rule('self > 0'),)"),
    ],
)
def test_a_field_that_has_no_schema(annotation: Any, default: Any, said: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        declare(annotation, default)
    assert str(caught.value).startswith("Spec.value")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_error_is_a_type_error_and_one_of_ours() -> None:
    assert issubclass(DeclarationError, TypeError)
    assert issubclass(DeclarationError, KubewrightError)


def test_an_option_that_there_is_not() -> None:
    with pytest.raises(TypeError, match=r"no option 'enum'; make Literal\[.*\] the type of the field"):
        Field(enum=["a"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Field has no option 'minimun'; write minimum"):
        Field(minimun=1)  # type: ignore[call-arg]


def test_two_fields_with_one_wire_name() -> None:
    with pytest.raises(DeclarationError, match="Spec: a_b and aB are both 'aB' on the wire; give one"):

        class Spec(Struct):
            a_b: int = 0
            aB: int = 0  # noqa: N815 - the wire name

    with pytest.raises(DeclarationError, match="Spec: a and b are both 'x' on the wire"):

        class Spec(Struct):  # type: ignore[no-redef]
            a: int = field(default=0, name="x")
            b: int = field(default=0, name="x")


class Tree(Struct):
    children: "list[Tree]" = []


class Left(Struct):
    right: "Right | None" = None


class Right(Struct):
    left: "Left | None" = None


def test_a_type_that_contains_itself() -> None:
    with pytest.raises(DeclarationError, match=r"Tree.children\[\]: Tree contains itself \(Tree → Tree\)"):
        kind_of(Tree)
    with pytest.raises(
        DeclarationError, match=r"Right.left: Left contains itself \(Left → Right → Left\).*use dict"
    ):
        kind_of(Left)


class Forward(Struct):
    value: "NotThere" = None  # type: ignore[name-defined] # noqa: F821 - that is the point


def test_a_type_that_is_not_there_yet() -> None:
    with pytest.raises(DeclarationError, match=r"Forward: name 'NotThere' is not defined.*at the top"):
        kind_of(Forward)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"group": "example"},
            "Thing: group='example' is refused by servers: it must be a domain with a dot",
        ),
        (
            {"group": "Example.com"},
            "group='Example.com' is refused by servers: a lowercase RFC 1123 subdomain",
        ),
        ({"group": "a.k8s.io"}, "belongs to the Kubernetes community"),
        ({"version": "1"}, "version='1' is refused"),
        ({"version": "V1"}, "version='V1' is refused"),
        ({"plural": "Things"}, "plural='Things' is refused"),
        ({"singular": "thing!"}, "singular='thing!' is refused"),
        ({"kind": "thing_y"}, "kind='thing_y' is refused"),
        ({"list_kind": "Thing"}, "list_kind='Thing' is refused by servers: it must not be the kind itself"),
        ({"short_names": ["T"]}, "short_names='T' is refused"),
        ({"short_names": ["t", "t"]}, "stands there twice"),
        ({"short_names": "th"}, "short_names='th' is one text; write short_names=['th']"),
        ({"categories": ["All"]}, "categories='All' is refused"),
        ({"scope": "Global"}, "scope='Global' is refused by servers: it is Namespaced or Cluster"),
        ({"subresources": ["stats"]}, "there is no subresource 'stats'; there are 'status' and 'scale'"),
        ({"subresources": ["status"]}, "Thing has the subresource status but no such field"),
        (
            {"subresources": ["scale"]},
            "Scale(status_replicas='.status.replicas') leads nowhere: there is no 'status'",
        ),
        ({"subresources": [Scale(spec_replicas=".spec.size")]}, "leads nowhere: there is no 'size' in .spec"),
        ({"subresources": [Scale(spec_replicas="spec.replicas")]}, "must be a path of names under .spec."),
        ({"subresources": [Scale(spec_replicas=".spec.name")]}, "leads to string, and /scale needs integer"),
        (
            {"columns": [PrinterColumn("A", "spec.name")]},
            "the column 'A' has the path 'spec.name'; paths begin",
        ),
        (
            {"columns": [PrinterColumn("A", ".spec.nam")]},
            "there is no 'nam' in .spec, which has replicas, name",
        ),
        ({"columns": [PrinterColumn("A", ".metadata.nam")]}, "there is no 'nam' in .metadata"),
        ({"columns": [PrinterColumn("", ".spec.name")]}, "has no name"),
        (
            {"columns": [PrinterColumn("A", ".spec.name", type="int")]},
            "has the type 'int'; there are integer",
        ),
        ({"columns": [PrinterColumn("A", ".spec.name", type="integer")]}, "it would stay empty"),
        ({"columns": [PrinterColumn("A", ".spec.name", format="x")]}, "has the format 'x'; there are"),
        ({"columns": [("A", ".spec.name")]}, "write PrinterColumn(name, path)"),
        ({"selectable_fields": [".spec"]}, "is object; servers select by str, bool and int"),
        ({"selectable_fields": [".spec.nam"]}, "leads to no field of the schema"),
        ({"selectable_fields": [".spec.name", ".spec.name"]}, "stands there twice"),
        ({"selectable_fields": [".metadata.name"]}, "leads to no field"),
        ({"selectable_fields": [".spec.name"] * 9}, "9 selectable fields, and servers take 8"),
        ({"deprecated": ""}, "the warning of a deprecated version is one line"),
        ({"deprecated": "x" * 257}, "at most 256 bytes"),
        ({"versions": [Resource]}, "Resource is no custom resource; decorate it"),
    ],
)
def test_options_of_the_decorator(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        kind_of(Replicas, **options)
    assert said in str(caught.value)


def test_an_option_of_the_decorator_that_there_is_not() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'shortnames'"):
        custom_resource(group=GROUP, version="v1", shortnames=["a"])  # type: ignore[call-arg]


def test_a_status_that_no_object_could_have() -> None:
    thing: Any = type(Resource)("Thing", (Resource,), {"__annotations__": {"status": Replicas}})
    with pytest.raises(DeclarationError, match=r"Thing.status is required, but with the subresource status"):
        custom_resource(group=GROUP, version="v1", subresources=["status"])(thing)


def test_metadata_of_another_type() -> None:
    with pytest.raises(DeclarationError, match=r"^Loose\.metadata is of another type than ObjectMeta; take"):

        @custom_resource(group="example.com", version="v1")
        class Loose(Resource):
            metadata: dict[str, str] = {}  # type: ignore[assignment]


def test_what_is_decorated_is_a_resource_without_a_kind() -> None:
    decorate: Callable[[Any], Any] = custom_resource(group=GROUP, version="v1")
    with pytest.raises(DeclarationError, match=r"Replicas is no Resource; write class Replicas\(Resource\)"):
        decorate(Replicas)
    with pytest.raises(DeclarationError, match="Thing has a kind already"):
        decorate(kind_of(Replicas))


def with_rule(expression: str, **options: Any) -> Any:
    class Spec(Struct):
        low: int = 1
        tags: list[str] = []

    return rule(expression, **options)(Spec)


@pytest.mark.parametrize(
    ("expression", "options", "said"),
    [
        ("self.lo > 1", {}, "Thing.spec: the rule 'self.lo > 1' is refused: compilation failed"),
        ("self.low >", {}, "Syntax error"),
        ("self.low", {}, "must evaluate to a bool"),
        ("self.low > 0", {"reason": "Nope"}, "Unsupported value"),
        ("self.low > 0", {"field_path": ".nope"}, "the fieldPath of the rule"),
        (
            "self.low > 0",
            {"message_expression": "self.nope"},
            "the messageExpression of the rule 'self.nope'",
        ),
        ("self.tags.all(t, self.tags.all(u, t != u + 'x'))", {}, "exceeds budget"),
    ],
)
@needs_cel
def test_a_rule_that_servers_refuse(expression: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        kind_of(with_rule(expression, **options))
    assert str(caught.value).startswith("Thing.spec: ")
    assert said in str(caught.value)


@needs_cel
def test_a_rule_on_a_field_that_servers_refuse() -> None:
    wrong = Rule("self.size() > 0")
    with pytest.raises(DeclarationError, match=r"Thing.spec.value: the rule 'self.size\(\) > 0' is refused"):
        declare(Annotated[int, Field(rules=(wrong,))] | None)
    with pytest.raises(DeclarationError, match=r"Thing.spec.value\[\]: .*oldSelf cannot be used"):
        declare(list[Annotated[int, Field(immutable=True)]], [])


@needs_cel
def test_a_default_that_breaks_a_rule() -> None:
    with pytest.raises(DeclarationError, match=r"Thing.spec.value: its default 5 breaks a rule"):
        declare(Annotated[int, Field(rules=(Rule("self < 5"),))], 5)

    @rule("self.size < 3 && self.name != ''")
    class Inner(Struct):
        size: int = 1
        name: str = ""

    with pytest.raises(DeclarationError, match=r"Thing.spec.value: its default .*'name': ''.* breaks a rule"):
        declare(Inner, EMPTY)


def test_a_rule_in_the_wrong_place() -> None:
    with pytest.raises(DeclarationError, match="Thing: put @rule below @custom_resource"):
        rule("true")(kind_of(Replicas))
    with pytest.raises(DeclarationError, match="is no Struct"):
        rule("true")(int)  # type: ignore[type-var]


def test_versions_that_do_not_belong_together() -> None:
    other = kind_of(Replicas, version="v1beta1", storage=False, plural="others")
    with pytest.raises(
        DeclarationError, match="versions has Thing, whose plural is 'others' and not 'things'"
    ):
        kind_of(Replicas, versions=[other])
    same = kind_of(Replicas, storage=False)
    with pytest.raises(DeclarationError, match="v1 is there already"):
        kind_of(Replicas, versions=[same])
    stored = kind_of(Replicas, version="v2")
    with pytest.raises(DeclarationError, match="exactly one is stored"):
        kind_of(Replicas, versions=[stored])


def test_a_version_that_is_not_all_of_its_kind() -> None:
    other = kind_of(Replicas, version="v1beta1", storage=False)
    with pytest.raises(DeclarationError, match="Thing is not the storage version; ask the class"):
        other.crd()


def test_what_is_no_custom_resource() -> None:
    from kubewright.models.core_v1 import Pod

    with pytest.raises(
        TypeError, match="Pod is no custom resource; decorate the class with @custom_resource"
    ):
        Pod.crd()


def test_no_field_may_be_called_crd() -> None:
    with pytest.raises(TypeError, match="crd: every object has an attribute of this name"):
        type(Resource)("Thing", (Resource,), {"__annotations__": {"crd": int}})
