"""What clients may rely on, over HTTP: the same tests on kubewright's server and on a real kube-apiserver.

Every expectation was taken from kube-apiserver 1.36.4 and is asserted whole: statuses with their messages,
reasons and details, objects with all fields. Only uids, times and revisions are left out of comparisons.
"""

import pytest

pytest.register_assert_rewrite("tests.conformance.statuses", "tests.conformance.objects")
