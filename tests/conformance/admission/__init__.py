"""Admission webhooks: what they are asked, and what becomes of the writes that they judge."""

import pytest

pytest.register_assert_rewrite("tests.conformance.admission.webhook")
