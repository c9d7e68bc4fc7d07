"""Finding the kinds of a project: where it may be, what is left out, and each refusal as one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kubewright.codegen.project import CLIENT_HEADER, ProjectError, load_project
from tests.codegen.projects import HEAD, KINDS, importing, kind, write_project


@pytest.fixture(autouse=True)
def _imports() -> Iterator[None]:
    with importing():
        yield


def names_of(folder: Path, package: str | None = None) -> list[tuple[str, str, str]]:
    """The kinds that are found: their versions, names and modules."""
    return [
        (cls.gvk.api_version, cls.__name__, cls.__module__) for cls in load_project(folder, package).kinds
    ]


@pytest.mark.parametrize("source", ["src/", ""])
def test_all_modules_are_looked_through(tmp_path: Path, source: str) -> None:
    files = {
        "shop/__init__.py": "from shop.kinds.orders import Order\n",
        "shop/__main__.py": "raise SystemExit(1)\n",
        "shop/kinds/__init__.py": "",
        "shop/kinds/orders.py": KINDS + kind("Order2", version="v1beta1", kind="Order", storage=False),
        "shop/zoo/__init__.py": "",
        "shop/zoo/deep/__init__.py": HEAD + kind("Basket", group="a.example.com"),
        "others.py": HEAD + kind("Bolt"),
        "shop/names.py": (
            "from shop.kinds.orders import Order as Bought, Warehouse\n"
            "from others import Bolt\n"
            "Alias = Bought\n"
            "class Special(Warehouse):\n    '''Derived, and no kind of its own.'''\n"
        ),
    }
    folder = write_project(
        tmp_path, {f"{source}{name}": text for name, text in files.items()}, package="shop"
    )
    project = load_project(folder)
    assert names_of(folder) == [
        ("a.example.com/v1", "Basket", "shop.zoo.deep"),
        ("shop.example.com/v1", "Order", "shop.kinds.orders"),
        ("shop.example.com/v1", "Warehouse", "shop.kinds.orders"),
        ("shop.example.com/v1beta1", "Order2", "shop.kinds.orders"),
    ]
    assert [module.__name__ for module in project.modules] == [
        "shop",
        "shop.kinds",
        "shop.kinds.orders",
        "shop.names",
        "shop.zoo",
        "shop.zoo.deep",
    ]
    assert (project.package, project.settings) == ("shop", {"package": "shop"})
    assert project.root == (folder / source).resolve()
    assert not project.is_module


def test_a_package_may_be_given_and_lie_within_another(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path,
        {
            "shops/__init__.py": "",
            "shops/books/kinds.py": KINDS,  # a package without an __init__.py
            "shops/toys/__init__.py": "raise RuntimeError('not asked for')",
        },
        package="other",
    )
    assert [name for _, name, _ in names_of(folder, "shops.books")] == ["Order", "Warehouse"]


def test_a_single_module_is_a_project_too(tmp_path: Path) -> None:
    folder = write_project(tmp_path, {"orders.py": KINDS})
    assert [name for _, name, _ in names_of(folder, "orders")] == ["Order", "Warehouse"]
    assert load_project(folder, "orders").is_module


def test_a_source_folder_may_be_a_link(tmp_path: Path) -> None:
    write_project(tmp_path / "code", {"linked/__init__.py": KINDS})
    folder = write_project(tmp_path / "here", {}, package="linked")
    (folder / "src").symlink_to(tmp_path / "code")
    assert len(load_project(folder).kinds) == 2


def test_without_a_pyproject_a_package_will_do(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(KINDS)
    assert load_project(tmp_path, "orders").settings == {}


def test_a_generated_client_is_no_source_of_kinds(tmp_path: Path) -> None:
    client = f'"""A client.\n\n{CLIENT_HEADER}\n"""\nraise RuntimeError("imported")\n'
    folder = write_project(
        tmp_path, {"shop/__init__.py": KINDS, "shop/elsewhere/__init__.py": client}, package="shop"
    )
    assert len(load_project(folder).kinds) == 2


def test_one_kind_declared_twice(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path, {"shop/__init__.py": "", "shop/one.py": KINDS, "shop/two.py": KINDS}, package="shop"
    )
    assert refused(folder) == (
        "Order of shop.example.com/v1 is declared twice, in shop.one and in shop.two; "
        "take one away, or give it another version"
    )


BROKEN = [
    ("import nosuchmodule", "ModuleNotFoundError: No module named 'nosuchmodule' (shop/kinds.py, line 1)"),
    ("x = 1\n\n1 / 0", "ZeroDivisionError: division by zero (shop/kinds.py, line 3)"),
    ("raise SystemExit", "SystemExit (shop/kinds.py, line 1)"),
    ("raise ValueError('one\\n   two')", "ValueError: one two (shop/kinds.py, line 1)"),
    ("def (:", "SyntaxError: invalid syntax (kinds.py, line 1)"),
    (
        HEAD + kind("Order", version="1"),
        "DeclarationError: Order: version='1' is refused by servers: a DNS-1035 label",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN)
def test_a_module_that_cannot_be_imported(tmp_path: Path, text: str, sentence: str) -> None:
    folder = write_project(tmp_path, {"shop/__init__.py": "", "shop/kinds.py": text}, package="shop")
    assert refused(folder).startswith(f"the module shop.kinds cannot be imported: {sentence}")


BAD: list[tuple[dict[str, str], str | None, str]] = [
    ({}, None, "there is no {folder}/pyproject.toml; go to the project's folder, or give --package"),
    ({"pyproject.toml": ""}, None, "{folder}/pyproject.toml does not say which package has the kinds;"),
    ({"pyproject.toml": "[tool.kubewright]\npackage = 3"}, None, "package must be a text, not '3'"),
    ({"pyproject.toml": "[tool]\nkubewright = 3"}, None, "tool.kubewright is no table"),
    ({"pyproject.toml": "a ="}, None, "{folder}/pyproject.toml is no TOML: Invalid value"),
    ({"pyproject.toml": "a = '\udcff'"}, None, "{folder}/pyproject.toml is no TOML:"),
    ({"pyproject.toml/x": ""}, None, "{folder}/pyproject.toml cannot be read: Is a directory"),
    ({}, "shop", "there is no package shop in {folder}/src or {folder}; correct its name"),
    ({}, "../shop", "'../shop' is no name of a package; write it as it is imported"),
    ({"json.py": ""}, "json", "the package json is imported from elsewhere, and not from {folder};"),
]


@pytest.mark.parametrize(("files", "package", "sentence"), BAD)
def test_what_is_no_project(
    tmp_path: Path, files: Mapping[str, str], package: str | None, sentence: str
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(errors="surrogateescape"))
    assert sentence.format(folder=tmp_path) in refused(tmp_path, package)


def refused(folder: Path, package: str | None = None) -> str:
    with pytest.raises(ProjectError) as caught:
        load_project(folder, package)
    message = str(caught.value)
    assert "\n" not in message
    return message
