"""What an identity of a record or a canary says; archives come from anywhere."""

import json
from typing import Any


def facts(identity: str) -> dict[str, Any]:
    """The facts of an identity; none of a text that is no JSON object."""
    try:
        found = json.loads(identity)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
