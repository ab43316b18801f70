"""Names as the services take them: a job's, an object's in Kubernetes, a label's value."""

import hashlib
import re
from collections.abc import Mapping

from firnline_infra.runtimes.job import HASH_TAG
from firnline_infra.specification.runtimes.options import Architecture

CPU_OF = {Architecture.ARM64: "arm64", Architecture.X86_64: "amd64"}
"""The label of Kubernetes nodes (kubernetes.io/arch) of each architecture."""
LONGEST_LABEL = 63
LONGEST_OBJECT = 43
"""The longest name of an application's objects: a Spark application has 7 characters of its start behind that, the operators
put ends like -driver-svc behind it, and a service's name has 63 characters."""
OURS = "firnline:"


def short_name(application: str, job_hash: str, longest: int) -> str:
    """The application and the first characters of its job's hash; a long application's name loses its end."""
    end = f"-{job_hash[:12]}"
    return f"{application[: longest - len(end)]}{end}"


def object_name(application: str) -> str:
    """A DNS-1035 label, as the kubeflow operator's webhook wants it. A changed one ends with characters of a hash, so that
    no two applications have one name."""
    plain = re.sub(r"[^a-z0-9-]", "-", application.lower()).strip("-")
    plain = plain if plain[:1].isalpha() else f"firnline-{plain}"
    if plain == application and len(plain) <= LONGEST_OBJECT:
        return plain
    digest = hashlib.sha256(application.encode()).hexdigest()[:8]
    return f"{plain[: LONGEST_OBJECT - 9].strip('-')}-{digest}"


def run_name(application: str, token: str) -> str:
    """The name of the Spark application that a start makes: the same token twice is one object."""
    return f"{object_name(application)}-{hashlib.sha256(token.encode()).hexdigest()[:6]}"


def labels(tags: Mapping[str, str]) -> dict[str, str]:
    """Firnline's own tags as labels; those of the specification are free text, which no label takes."""
    return {
        key.replace(":", "/"): value[:LONGEST_LABEL] if key == HASH_TAG else _label(value)
        for key, value in tags.items()
        if key.startswith(OURS)
    }


def _label(value: str) -> str:
    """One that had to be changed gets characters of a hash, as an object's name does: pods are known by it."""
    plain = re.sub(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "", value)
    if plain == value and len(plain) <= LONGEST_LABEL:
        return plain
    digest = hashlib.sha256(value.encode()).hexdigest()[:8]
    return f"{plain[: LONGEST_LABEL - 9]}-{digest}".lstrip("-")
