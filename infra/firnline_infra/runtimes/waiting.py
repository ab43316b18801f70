"""Reasons why a run's program has not begun, from the words of its service: for want of machines, or because it can't begin as
it is.

Only the first is cured by stopping another engine. Words that say neither decide nothing: a roll-out waits, and stops nothing.
Sources: Kubernetes, "Images" (ErrImagePull, ImagePullBackOff, InvalidImageName), pkg/kubelet/container/sync_result.go and
pkg/kubelet/kuberuntime (CreateContainerConfigError, CreateContainerError), the scheduler's "nodes are available" messages, the
volume manager's events (FailedMount), and the VPC CNI's "failed to assign an IP address"; 2026-11-28.
"""

import re
from enum import StrEnum

ROOM = re.compile(
    r"\bInsufficient [\w./-]+|Too many pods|failed to assign an IP address|not enough free (?:IP )?addresses|"
    r"InsufficientFreeAddresses|InsufficientInstanceCapacity|exceeded max volume count|Max(?:imum)? (?:concurrent )?vCPUs?",
    re.IGNORECASE,
)
NEVER = re.compile(
    r"ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainerConfigError|CreateContainerError|"
    r"RunContainerError|"
    r"(?:secret|configmap|persistentvolumeclaim|serviceaccount|storageclass)[\w. ]*\"[^\"]+\" not found|"
    r"references non-existent|"
    r"admission webhook \"[^\"]+\" denied|denied the request|violates PodSecurity|exceeded quota|is forbidden|is invalid",
    re.IGNORECASE,
)
NO_NODE = re.compile(r"didn't match (?:Pod's )?node (?:affinity|selector)|had (?:un\w+ )?taints?\b", re.IGNORECASE)
"""Nodes that would fit may be made within minutes: whoever waits decides when that is over."""


class WaitsFor(StrEnum):
    UNKNOWN = "unknown"
    """The service does not say, or in words that are not known."""
    ROOM = "room"
    """Machines, an address or a place in a queue, which another engine has."""
    CORRECTION = "correction"
    """Something that no waiting cures: an image, a secret, a volume, what an admission refuses."""


def waits_for(words: str) -> WaitsFor:
    """The kind of what a pod, or the start of one, waits for. A pod for which some nodes are too full and others are of
    another kind waits for room."""
    if NEVER.search(words):
        return WaitsFor.CORRECTION
    return WaitsFor.ROOM if ROOM.search(words) else WaitsFor.UNKNOWN


def lacks_a_node(words: str) -> bool:
    """True if no node is of the kind that is asked for, be it full or empty."""
    return bool(NO_NODE.search(words)) and waits_for(words) is WaitsFor.UNKNOWN
