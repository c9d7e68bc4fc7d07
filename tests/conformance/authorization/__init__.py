"""Who may do what, with the same verdicts on kubewright's server and on a real kube-apiserver."""

import pytest

pytest.register_assert_rewrite("tests.conformance.authorization.policies")
