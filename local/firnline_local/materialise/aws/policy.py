"""Policy documents: JSON text to a service, text or a mapping from a program or a client."""

import json
from typing import Any


def as_document(policy: Any) -> str:
    return policy if isinstance(policy, str) else json.dumps(policy)
