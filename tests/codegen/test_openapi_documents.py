"""Which files hold OpenAPI v3, what is said of those that do not, and what a cluster's index leads to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright.codegen.openapi_documents import cluster_documents, parse_document, parse_documents
from kubewright.codegen.type_sources import Sources, type_files_of
from kubewright.machinery import yaml
from kubewright.machinery.errors import NotFound, ParseError, ServiceUnavailable
from kubewright.machinery.status import Status
from tests.codegen.crd_definitions import definition, whole
from tests.codegen.openapi_fixtures import METRICS_DOCUMENT, document

METRICS_JSON = msgspec.json.encode(METRICS_DOCUMENT)
CRD = definition("example.com", "Thing", "things", {"v1": whole({"type": "object"})})


def silent(_sentence: str) -> None:
    raise AssertionError(_sentence)


class TestFiles:
    @pytest.mark.parametrize(
        "text", [METRICS_JSON, yaml.dump(METRICS_DOCUMENT).encode()], ids=["json", "yaml"]
    )
    def test_are_recognised(self, tmp_path: Path, text: bytes) -> None:
        path = tmp_path / "metrics.json"
        path.write_bytes(text)
        for found in (Sources.of_path(path, note=silent), Sources.of_bytes(text, "it", note=silent)):
            assert not found.definitions
            files = type_files_of(found, note=silent)
            assert set(files) == {"__init__.py", "metrics_v1beta1.py", "py.typed"}

    def test_a_folder_of_documents(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "metrics.json").write_bytes(METRICS_JSON)
        (tmp_path / "version.json").write_bytes(msgspec.json.encode({"openapi": "3.0.0", "paths": {}}))
        (tmp_path / "values.yaml").write_text("{{ not: yaml")
        (tmp_path / "pod.json").write_bytes(b'{"kind": "Pod", "metadata": {"labels": {"openapi": "yes"}}}')
        files = type_files_of(Sources.of_path(tmp_path, note=silent), note=silent)
        assert "metrics_v1beta1.py" in files

    def test_a_definition_with_a_field_of_that_name_is_none(self) -> None:
        spec = {"type": "object", "properties": {"openapi": {"type": "string"}}}
        crd = definition("example.com", "Thing", "things", {"v1": whole(spec)})
        assert Sources.of_bytes(msgspec.json.encode(crd), "it", note=silent).definitions == [crd]

    def test_a_folder_may_hold_documents_of_other_things(self, tmp_path: Path) -> None:
        (tmp_path / "crd.yaml").write_text(yaml.dump(CRD))
        (tmp_path / "service.json").write_bytes(msgspec.json.encode(document({})))
        (tmp_path / "old.json").write_text('{"swagger": "2.0"}')
        (tmp_path / "template.yaml").write_text("openapi: {{ .Values.openapi }}\n  a: [")
        found = Sources.of_path(tmp_path, note=silent)
        assert (found.definitions, found.documents) == ([CRD], [])
        (tmp_path / "crd.yaml").unlink()
        with pytest.raises(ParseError, match=r"old\.json: this is OpenAPI v2"):
            Sources.of_path(tmp_path, note=silent)

    def test_both_in_a_folder_are_too_much(self, tmp_path: Path) -> None:
        (tmp_path / "metrics.json").write_bytes(METRICS_JSON)
        (tmp_path / "crd.yaml").write_text(yaml.dump(CRD))
        with pytest.raises(
            ParseError, match="CustomResourceDefinitions and OpenAPI documents; name those of"
        ):
            Sources.of_path(tmp_path, note=silent)

    def test_groups_are_chosen(self) -> None:
        found = Sources.of_bytes(METRICS_JSON, "it", note=silent)
        assert "metrics_v1beta1.py" in type_files_of(found, groups=["metrics.k8s.io"], note=silent)
        crds = Sources(
            definitions=[CRD, definition("a.org", "Thing", "things", {"v1": whole({"type": "object"})})]
        )
        files = type_files_of(crds, groups=["a.org"], note=silent)
        assert "a_v1.py" in files
        assert "example_v1.py" not in files
        with pytest.raises(
            ParseError, match=r"no definition is of b\.org; there are those of a\.org, example"
        ):
            type_files_of(crds, groups=["b.org"], note=silent)
        with pytest.raises(ParseError, match="no built-in kinds; leave out --all"):
            type_files_of(crds, builtin=True, note=silent)

    @pytest.mark.parametrize(
        ("data", "complaint"),
        [
            (
                b'{"swagger": "2.0", "definitions": {}}',
                "OpenAPI v2, of which no types are made; fetch v3 with",
            ),
            (b'{"openapi": "4.0.0"}', r"this is OpenAPI '4\.0\.0', not 3"),
            (b'{"openapi": 3}', "this is OpenAPI 3, not 3"),
            (b'{"openapi": "3.0.0", "components": [1]}', r"no correct OpenAPI v3 \("),
            (b'{"openapi": "3.0.0", "components": {"schemas": {"a": 1}}}', "the schema a is no mapping"),
            (
                msgspec.json.encode(document({"a": {"x-kubernetes-group-version-kind": [1]}})),
                "no correct OpenAPI v3",
            ),
            (b'{"openapi": "3.0.0", "paths": {"/apis/a/v1/b": 1}}', "no correct OpenAPI v3"),
            (b'{"openapi": "3.0.0", ', "it does not decode"),
            (b'{"openapi": ' + b"[" * 100_000, "it does not decode"),
            (b"openapi: [", "it does not decode"),
            (b"openapi: " + b"[" * 100_000, "it does not decode"),
            (b'{"kind": "Service", "openapi": "3.0.0"}', "no CustomResourceDefinition in it"),
            (b'{"kind": "Pod"}', "no CustomResourceDefinition in it and no OpenAPI v3 document"),
        ],
    )
    def test_what_is_none_is_told_in_a_sentence(self, data: bytes, complaint: str) -> None:
        with pytest.raises(ParseError, match=f"^the file: .*{complaint}") as raised:
            Sources.of_bytes(data, "the file", note=silent)
        assert "\n" not in str(raised.value)

    def test_a_document_must_be_one(self) -> None:
        with pytest.raises(ParseError, match="the file: this is no OpenAPI v3 document; fetch one with"):
            parse_document([], "the file")
        assert parse_documents(b"{}", "the file") == []


class TestCluster:
    @staticmethod
    def fetch(answers: dict[str, Any]) -> Any:
        def fetched(path: str) -> bytes:
            answer = answers[path]
            if isinstance(answer, Exception):
                raise answer
            return answer if isinstance(answer, bytes) else msgspec.json.encode(answer)

        return fetched

    INDEX = {
        "paths": {
            "api/v1": {},
            "apis": {},
            "apis/metrics.k8s.io": {},
            "apis/metrics.k8s.io/v1beta1": {
                "serverRelativeURL": "/openapi/v3/apis/metrics.k8s.io/v1beta1?hash=A"
            },
            "version": {},
            "../secrets": {},
        }
    }

    def test_documents_of_group_versions_are_read(self) -> None:
        answers = {
            "/openapi/v3": self.INDEX,
            "/openapi/v3/api/v1": document({}),
            "/openapi/v3/apis/metrics.k8s.io/v1beta1": METRICS_JSON,
        }
        found = cluster_documents(self.fetch(answers), note=silent)
        assert [each.place for each in found] == ["the cluster's v1", "the cluster's metrics.k8s.io/v1beta1"]
        del answers["/openapi/v3/api/v1"]
        (one,) = cluster_documents(self.fetch(answers), groups=["metrics.k8s.io"], note=silent)
        assert one == found[1]

    @pytest.mark.parametrize(
        "answer", [ServiceUnavailable(Status(message="it is away")), b"{", {"swagger": "2.0"}]
    )
    def test_what_cannot_be_read_is_said_and_left_out(self, answer: Any) -> None:
        answers = {
            "/openapi/v3": self.INDEX,
            "/openapi/v3/api/v1": document({}),
            "/openapi/v3/apis/metrics.k8s.io/v1beta1": answer,
        }
        notes: list[str] = []
        assert len(cluster_documents(self.fetch(answers), note=notes.append)) == 1
        (note,) = notes
        assert note.startswith("the cluster's metrics.k8s.io/v1beta1 is left out")
        with pytest.raises(ParseError, match="none of the cluster's OpenAPI documents could be read"):
            cluster_documents(self.fetch(answers), groups=["metrics.k8s.io"], note=notes.append)

    @pytest.mark.parametrize(
        ("index", "complaint"),
        [
            (NotFound(Status(message="no such path")), "serves no OpenAPI v3"),
            (b"<html>", "does not decode"),
            ({"paths": 1}, "no correct OpenAPI v3"),
            ({}, "no 'paths'"),
        ],
    )
    def test_an_index_that_is_none(self, index: Any, complaint: str) -> None:
        with pytest.raises(ParseError, match=complaint):
            cluster_documents(self.fetch({"/openapi/v3": index}), note=silent)

    def test_a_group_that_is_not_served(self) -> None:
        with pytest.raises(ParseError, match=r"does not serve the group a\.b; it has core, metrics\.k8s\.io"):
            cluster_documents(self.fetch({"/openapi/v3": self.INDEX}), groups=["a.b"], note=silent)
