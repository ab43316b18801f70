"""The Secrets Store CSI driver and its providers before a pod's containers begin: the class of a volume is looked for in
the pod's namespace, and its provider takes the parameters or refuses them. No store is asked.

The driver's words are those of kubernetes-sigs/secrets-store-csi-driver (pkg/secrets-store/nodeserver.go); the parameters are
what hashicorp/vault-csi-provider (internal/config/config.go) and Azure/secrets-store-csi-driver-provider-azure
(pkg/provider/provider.go) refuse to mount without. What Azure's provider says of objects that it can't read is in our words, and
no event has the pod's name.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from tests.kubernetes.client import ClusterClient

VERSION, KIND = "secrets-store.csi.x-k8s.io/v1", "SecretProviderClass"
DRIVER = "secrets-store.csi.k8s.io"
FOLDER = f"/apis/{VERSION}/namespaces/{{namespace}}/secretproviderclasses"


def unmounted(api: ClusterClient, namespace: str, pod: Mapping[str, Any]) -> Iterator[str]:
    """Yields why a volume of the pod is not mounted, as the kubelet's event says it: one for each such volume."""
    for volume in pod.get("volumes", ()):
        if volume.get("csi", {}).get("driver") == DRIVER and (why := _refusal(api, namespace, volume["csi"])):
            yield f'MountVolume.SetUp failed for volume "{volume["name"]}" : rpc error: code = Unknown desc = {why}'


def _refusal(api: ClusterClient, namespace: str, source: Mapping[str, Any]) -> str:
    if source.get("readOnly") is not True:
        return "Readonly is not true in request"
    name = source.get("volumeAttributes", {}).get("secretProviderClass", "")
    if not name:
        return "secretProviderClass is not set"
    found = api.get(f"{FOLDER.format(namespace=namespace)}/{name}")
    if found is None:
        what = f'{KIND}.{VERSION.partition("/")[0]} "{name}" not found'
        return f"failed to get secretproviderclass {namespace}/{name}, error: {what}"
    spec = found.get("spec", {})
    provider, parameters = spec.get("provider", ""), spec.get("parameters", {})
    if provider not in PROVIDERS:
        return f'error connecting to provider "{provider}": provider not found: provider "{provider}"'
    refused = next(PROVIDERS[provider](parameters), "")
    return refused and f"failed to mount secrets store objects for pod {namespace}, err: {refused}"


def _vault(parameters: Mapping[str, str]) -> Iterator[str]:
    if not parameters.get("roleName"):
        yield "missing 'roleName' in SecretProviderClass definition"
    secrets = _parsed(parameters.get("objects", ""))
    if not isinstance(secrets, list) or not all(isinstance(each, dict) for each in secrets):
        yield "no secrets configured - the provider will not read any secret material"
        return
    names = [each.get("objectName", "") for each in secrets]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        what = f"but the following keys were duplicated: {', '.join(twice)}"
        yield f"each `objectName` within a SecretProviderClass must be unique, {what}"


def _azure(parameters: Mapping[str, str]) -> Iterator[str]:
    for name in ("keyvaultName", "tenantId", "objects"):
        if not parameters.get(name):
            yield f"{name} is not set"
    found = _parsed(parameters.get("objects", ""))
    array = found.get("array") if isinstance(found, dict) else None
    each_one = [_parsed(each) for each in array or ()]
    if not each_one or not all(isinstance(each, dict) and each.get("objectName") for each in each_one):
        yield "failed to yaml unmarshal objects: an array of objects, each with an objectName, is wanted"


def _parsed(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


PROVIDERS: Mapping[str, Callable[[Mapping[str, str]], Iterator[str]]] = {"vault": _vault, "azure": _azure}
