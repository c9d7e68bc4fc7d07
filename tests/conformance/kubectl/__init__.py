"""What users of kubectl see: the program itself, on kubewright's server and on a real kube-apiserver.

Every expectation was taken from kube-apiserver 1.36.4. Any kubectl that may talk to that release will do;
what kubectl alone decides is asserted only as far as its releases agree.
"""

import pytest

pytest.register_assert_rewrite("tests.conformance.kubectl.program", "tests.conformance.kubectl.output")
