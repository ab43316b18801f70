"""The words of Kubernetes for a pod that does not start, and what they say of another engine's room."""

import pytest

from firnline_infra.runtimes.waiting import WaitsFor, lacks_a_node, waits_for


@pytest.mark.parametrize(
    "words",
    [
        "pod d: 0/5 nodes are available: 5 Insufficient cpu. preemption: 0/5 nodes are available",
        "pod d: 0/5 nodes are available: 2 Insufficient memory, 3 node(s) didn't match Pod's node affinity/selector.",
        "pod d: 0/2 nodes are available: 2 Too many pods.",
        'pod d: FailedCreatePodSandBox: plugin type="aws-cni" failed (add): failed to assign an IP address to container',
    ],
)
def test_words_of_room(words: str) -> None:
    assert waits_for(words) is WaitsFor.ROOM
    assert not lacks_a_node(words)


@pytest.mark.parametrize(
    "words",
    [
        'pod d: ErrImagePull: failed to resolve reference "registry.acme.com/firnline:tpyo": not found',
        'pod d: ImagePullBackOff: Back-off pulling image "registry.acme.com/firnline:tpyo"',
        "pod d: InvalidImageName: couldn't parse image name",
        'pod d: CreateContainerConfigError: secret "keys" not found',
        'pod d: FailedMount: MountVolume.SetUp failed for volume "ca" : configmap "ca" not found',
        'pod d: FailedMount: MountVolume.SetUp failed for volume "key" : secret "key" not found',
        'pod d: 0/3 nodes are available: persistentvolumeclaim "scratch" not found.',
        'failed to create driver: admission webhook "policy.acme" denied the request: no tag',
        'pods "d" is forbidden: exceeded quota: team, requested: cpu=2, used: cpu=9, limited: cpu=10',
    ],
)
def test_words_that_no_other_engines_end_cures(words: str) -> None:
    assert waits_for(words) is WaitsFor.CORRECTION


@pytest.mark.parametrize(
    "words",
    [
        "pod d: 0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector. preemption: none",
        "pod d: 0/5 nodes are available: 5 node(s) had untolerated taint {dedicated: streams}.",
    ],
)
def test_a_node_of_the_kind_may_yet_be_made(words: str) -> None:
    assert waits_for(words) is WaitsFor.UNKNOWN
    assert lacks_a_node(words)


@pytest.mark.parametrize("words", ["", "pod d: ContainerCreating: ", "Jobrun has been submitted"])
def test_words_that_say_neither(words: str) -> None:
    assert waits_for(words) is WaitsFor.UNKNOWN
    assert not lacks_a_node(words)
