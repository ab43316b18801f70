"""A container's config.json (OCI runtime specification, 1.0) from an image's configuration and a pod's security contexts."""

import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

PULLED = "image.json"
"""In an image's folder: where its root filesystem is, and its configuration (OCI image specification, "Image Configuration")."""
PROFILE = Path("/usr/share/containers/seccomp.json")
"""Of Debian's golang-github-containers-common: what RuntimeDefault is in its container runtimes."""
CALLS = {
    "x86_64": ({"amd64"}, ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]),
    "aarch64": ({"arm64"}, ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"]),
}
DEVICES: tuple[Mapping[str, Any], ...] = (
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "strictatime", "mode=755"]},
    {"destination": "/dev/pts", "type": "devpts", "source": "devpts", "options": ["nosuid", "noexec", "newinstance"]},
    {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": ["nosuid", "noexec", "size=65536k"]},
)


@dataclass(frozen=True, slots=True)
class PulledImage:
    root: Path
    config: Mapping[str, Any]

    @classmethod
    def at(cls, folder: Path) -> "PulledImage | None":
        """None for a folder that only has what an image would have in /opt/firnline."""
        file = folder / PULLED
        if not file.exists():
            return None
        found = json.loads(file.read_bytes())
        return cls(Path(found["root"]), found["config"])

    @property
    def variables(self) -> dict[str, str]:
        return dict(each.split("=", 1) for each in self.config.get("Env") or ())

    def group_of(self, user: int) -> int:
        """The first group of the user, as the image knows it; root's where it does not."""
        for line in (self.root / "etc" / "passwd").read_text().splitlines():
            fields = line.split(":")
            if fields[2] == str(user):
                return int(fields[3])
        return 0


@dataclass(frozen=True, slots=True)
class Mount:
    source: Path
    path: str
    is_read_only: bool = False

    def document(self) -> dict[str, Any]:
        options = ["rbind", "ro" if self.is_read_only else "rw"]
        return {"destination": self.path, "type": "bind", "source": str(self.source), "options": options}


@dataclass(frozen=True, kw_only=True)
class Bundle:
    image: PulledImage
    pod: Mapping[str, Any]
    """The spec, with one container."""
    hostname: str
    arguments: tuple[str, ...]
    """Of the image's entry point."""
    variables: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()

    @cached_property
    def _security(self) -> Mapping[str, Any]:
        """A container's own fields win over its pod's."""
        (container,) = self.pod["containers"]
        return {**self.pod.get("securityContext", {}), **container.get("securityContext", {})}

    @property
    def file_group(self) -> int | None:
        """Group that owns the volumes."""
        found: int | None = self._security.get("fsGroup")
        return found

    def document(self, root: Path, *, begins_with: tuple[str, ...] = ()) -> dict[str, Any]:
        """`begins_with` is what starts the entry point. Without a network namespace the container has this machine's network."""
        linux: dict[str, Any] = {"namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts")]}
        if self._security.get("seccompProfile", {}).get("type") == "RuntimeDefault":
            linux["seccomp"] = seccomp(json.loads(PROFILE.read_bytes()), platform.machine())
        return {
            "ociVersion": "1.0.0",
            "hostname": self.hostname,
            "root": {"path": str(root), "readonly": bool(self._security.get("readOnlyRootFilesystem"))},
            "process": self._process(begins_with),
            "mounts": [*DEVICES, *(each.document() for each in self.mounts)],
            "linux": linux,
        }

    def _process(self, begins_with: tuple[str, ...]) -> dict[str, Any]:
        config, security = self.image.config, self._security
        user = int(security.get("runAsUser", config.get("User") or 0))
        groups = [] if self.file_group is None else [self.file_group]
        return {
            "user": {"uid": user, "gid": self.image.group_of(user), "additionalGids": groups},
            "args": [*begins_with, *(config.get("Entrypoint") or ()), *self.arguments],
            "env": [f"{name}={value}" for name, value in {**self.image.variables, **self.variables}.items()],
            "cwd": config.get("WorkingDir") or "/",
            "capabilities": {},
            "noNewPrivileges": security.get("allowPrivilegeEscalation") is False,
        }


def seccomp(profile: Mapping[str, Any], machine: str) -> dict[str, Any]:
    """Returns the profile of a container without capabilities: containers/common has rules by capability and
    architecture in one file.
    """
    architectures, kinds = CALLS[machine]
    return {
        "defaultAction": profile["defaultAction"],
        "defaultErrnoRet": profile.get("defaultErrnoRet", 1),
        "architectures": kinds,
        "syscalls": list(_rules(profile["syscalls"], architectures)),
    }


def _rules(rules: list[Mapping[str, Any]], architectures: set[str]) -> Iterator[dict[str, Any]]:
    for rule in rules:
        wanted, unwanted = rule.get("includes") or {}, rule.get("excludes") or {}
        if wanted.get("caps") or (wanted.get("arches") and not architectures & set(wanted["arches"])):
            continue
        if architectures & set(unwanted.get("arches") or ()):
            continue
        kept = {name: rule[name] for name in ("names", "action", "args", "errnoRet") if rule.get(name) is not None}
        yield kept
