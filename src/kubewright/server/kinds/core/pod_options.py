"""What the rules of a pod spec let stand because the stored object has it already.

Upstream's PodValidationOptions, without those that are settled by the feature gates of 1.36.
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["NEW_POD", "NEW_TEMPLATE", "PodOptions"]


class PodOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How lenient the rules are; `pod_leniency` finds it out from what an update starts from."""

    is_pod: bool
    """Whether the spec is that of a pod, not of a template."""
    allow_invalid_deletion_cost: bool = False
    allow_indivisible_huge_pages: bool = False
    allow_invalid_affinity_values: bool = False
    allow_invalid_node_affinity_values: bool = False
    allow_invalid_spread_selector: bool = False
    lenient_match_label_keys: bool = False
    allow_non_local_token_path: bool = False
    allow_host_sysctls: bool = False
    only_recursive_selinux: bool = True
    allow_comparison_operators: bool = False
    allow_user_namespace_host_network: bool = False
    allow_user_namespace_devices: bool = False
    allow_init_restart_on_resize: bool = False


NEW_POD: Final = PodOptions(is_pod=True)
NEW_TEMPLATE: Final = PodOptions(is_pod=False)
