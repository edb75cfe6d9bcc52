"""The reason why an environment could not be made, found in the log of its creation.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import re

NO_NETWORK = r"name resolution|Name or service not known|nodename nor servname|is unreachable"
NO_INDEX = r"NewConnectionError|Connection refused|timed out|ProxyError|SSLError|Max retries"
NETWORK = (
    (NO_NETWORK, "it looks as if there is no network"),
    (NO_INDEX, "the package index cannot be reached"),
)
# Text in a log -> words for the user, and whether another attempt may help; the first match counts.
CERTAIN = (
    (r"No space left on device|Disk quota exceeded", "the disk is full", True),
    (r"DO NOT MATCH THE HASHES", "a downloaded file is not the one that was locked", False),
    (r"ensurepip is not available", "this Python cannot make virtual environments", False),
)
# Signs that a source is the cause; a build without a network may show them, too.
SOURCE = (
    (r"(\S+) is not a supported wheel on this platform", "{} is not for this Python or machine"),
    (r"requires a different Python: (.+)", "it needs another Python: {}"),
    (
        r"subprocess-exited-with-error|Failed to build|metadata-generation-failed"
        r"|does not appear to be a Python project",
        "its source does not build",
    ),
)
MAX_LENGTH = 200  # characters quoted from a log


def cause(log: str) -> tuple[str, bool]:
    """The cause in one line for the user, and whether it may be gone at the next attempt."""
    for sign, words, passing in CERTAIN:
        if re.search(sign, log):
            return words, passing
    if missing := re.search(r"No matching distribution found for (\S+)", log):
        # The index was reached if it has other versions, or if nothing went wrong when it was asked
        # for this package: a page of wheels that cannot be reached is no lack of a network.
        name = re.escape(re.split(r"[=<>!~;\[]", missing[1])[0])
        asked = "\n".join(re.findall(rf"^.*/{name}/.*$", log, re.MULTILINE))
        versions = re.search(rf"requirement {name}\b.*\(from versions: (?!none)", log)
        if versions or not (trouble := _of_network(asked)):
            return f"the package index does not have {missing[1]}", False
        return trouble, True
    if trouble := _of_network(log):
        return trouble, True
    for sign, words in SOURCE:
        if found := re.search(sign, log):
            return words.format(*found.groups()), False
    errors = re.findall(r"^(?:ERROR|error): (.+)$", log, re.MULTILINE)
    return f"its command failed{f': {errors[-1][:MAX_LENGTH]}' if errors else ''}", False


def _of_network(log: str) -> str | None:
    return next((words for sign, words in NETWORK if re.search(sign, log)), None)
