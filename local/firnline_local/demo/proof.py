"""The demo's audit: the same function as `firnline audit`, as the environment's reader."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firnline_infra.audit import AuditReport
    from firnline_local.running import RunningEnvironment


def audit_demo(environment: "RunningEnvironment", config_file: Path) -> "AuditReport":
    from firnline_infra.audit import ReaderUser, audit
    from firnline_ingest.config.load import load_config

    login = environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    config = load_config(config_file)
    return audit(config, reader, content=True)
