"""The list of paths and the version."""

from __future__ import annotations

import json
import re

from kubewright.server.discovery.root import root_paths, version_info
from tests.server.openapi.facts import recorded_crds, served_with


def test_paths_are_sorted_and_name_every_group_version() -> None:
    paths = json.loads(root_paths(served_with(recorded_crds()), more=["/metrics"]))["paths"]
    assert paths == sorted(paths)
    assert {
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
        "/apis/autoscaling/v2",
        "/apis/oa.example.com/v1beta1",
        "/metrics",
        "/openapi/v2",
        "/version",
    } <= set(paths)


def test_both_are_indented_as_upstream_writes_them() -> None:
    assert root_paths([]).startswith(b'{\n  "paths": [\n    "/')
    assert version_info().startswith(b'{\n  "major": "1",\n  "minor": "36",\n')


def test_the_version_reads_as_a_semantic_version_of_the_release() -> None:
    git_version = json.loads(version_info())["gitVersion"]
    assert re.fullmatch(r"v1\.36\.[0-9]+\+kubewright(\.[0-9A-Za-z-]+)+", git_version)
