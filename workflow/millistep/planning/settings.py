"""The settings that a column may have, as ``schemas/settings.schema.json`` declares them.

Besides the keywords of JSON Schema, among them ``default`` for columns that do not name it, the
declaration of a setting has

``frameworks``
    those that take it; if left out, all do.
``tasks``
    those in which it changes anything; if left out, it may in all.
``values``
    texts about one value, or about all (``*``): its ``word`` in paths and its ``title``. They may
    hold ``{value}`` and its ``{digest}``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent.parent / "schemas" / "settings.schema.json"
SETTINGS: dict[str, dict[str, Any]] = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
del SETTINGS["framework"]
USUAL = {"word": "{value}", "title": "{value}"}


def texts(setting: str, value: Any) -> dict[str, str]:
    """Return the texts about a value: ``word``, ``title``."""
    text, of_values = spelled(value), SETTINGS[setting].get("values", {})
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]
    found = {**USUAL, **of_values.get("*", {}), **of_values.get(text, {})}
    return {key: found[key].format(value=text, digest=digest) for key in USUAL}


def spelled(value: Any) -> str:
    """Return a value as it is written in the configuration."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)
