"""The settings that a column may have, as ``schemas/settings.schema.json`` declares them.

Besides the keywords of JSON Schema, among them ``default`` for columns that do not name it, the
declaration of a setting has

``frameworks``
    those that take it; if left out, all do.
``tasks``
    those in which it changes anything; if left out, it may in all.
``values``
    texts about one value, or about all (``*``): its ``word`` in paths, its ``title``, and the
    ``question`` that a column with it answers.
    Texts may hold ``{value}`` and its ``{digest}``, a question also ``{title}`` and ``{base}``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent.parent / "schemas" / "settings.schema.json"
SETTINGS: dict[str, dict[str, Any]] = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
del SETTINGS["framework"]
USUAL = {"word": "{value}", "title": "{value}", "question": "What does {title} change?"}


def said(setting: str, value: Any, base: Any = None) -> dict[str, Any]:
    """Return the texts about a value: ``word``, ``title``, ``question``.

    base: the value of the column that a question is about.
    """
    text, values = spelled(value), SETTINGS[setting].get("values", {})
    found = {**USUAL, **values.get("*", {}), **values.get(text, {})}
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]
    names = {"value": text, "digest": digest, "base": spelled(base)}
    for key in USUAL:  # the title comes before the question, which may contain it
        found[key] = names[key] = found[key].format(**names)
    return found


def spelled(value: Any) -> str:
    """Return a value as it is written in the configuration."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)
