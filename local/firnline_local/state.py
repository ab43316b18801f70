"""State that one process must know of an environment that another one runs: endpoints, users, and the paths of their keys.

It is kept in a JSON file in the environment's folder. Nothing secret is in it.
"""

import json
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from firnline_ingest.config.document import parse
from firnline_local.endpoints import Endpoints, Login
from firnline_local.errors import NoEnvironment, StaleEnvironment
from firnline_local.folder import Folder


class EnvironmentState(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    name: str
    pid: int
    started_at: datetime
    endpoints: Endpoints
    logins: dict[str, Login]
    """admin, ingest, reader"""
    engine_config: dict[str, Any]
    """The document of EngineConfig."""
    is_provisioned: bool = True
    """False where the start made nothing of the specification."""
    token: str = Field(default_factory=lambda: secrets.token_hex(16))
    """Which start of the environment this is. Not a secret; it identifies this run of the environment (pulumi/admission.py)."""

    @classmethod
    def find(cls, folder: Path) -> Self:
        """The state of the environment that runs in the folder. Raises NoEnvironment or StaleEnvironment."""
        found = Folder(folder)
        try:
            text = found.state.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise NoEnvironment(folder) from None
        state = parse(cls, json.loads(text), str(found.state))
        if not found.is_held():
            raise StaleEnvironment(folder=folder, pid=state.pid)
        return state

    def save(self, folder: Folder) -> None:
        """Appears at once and whole, so that a reader never sees half of it."""
        draft = folder.state.with_suffix(".draft")
        draft.write_text(self.model_dump_json(indent=2), encoding="utf-8")
        draft.replace(folder.state)
