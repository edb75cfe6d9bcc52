"""What uv, which reads no configuration of pip's, is told of it: index, wheels, certificate, proxy.

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

# An option of pip's -> variables of uv's that say the same, and what stands between several values.
VARIABLES = {
    "index-url": (("UV_DEFAULT_INDEX",), " "),
    "extra-index-url": (("UV_INDEX",), " "),
    "find-links": (("UV_FIND_LINKS",), ","),
    "trusted-host": (("UV_INSECURE_HOST",), " "),
    "cert": (("SSL_CERT_FILE",), " "),
    "client-cert": (("SSL_CLIENT_CERT",), " "),
    "proxy": (("HTTP_PROXY", "HTTPS_PROXY"), " "),
    "default-timeout": (("UV_HTTP_TIMEOUT",), " "),
    "timeout": (("UV_HTTP_TIMEOUT",), " "),
}
# The later ones count for more, as pip has it.
SECTIONS = ("global", "install", ":env:")


def variables(python: Path, cache: Path) -> dict[str, str]:
    """Environment variables with which uv installs as pip would; those of the user's own stay.

    python: whose pip is asked for its configuration. cache: where uv keeps what it downloads;
    on the file system of the environments, so that these are hard links and not copies.
    """
    found = {
        "UV_CACHE_DIR": str(cache),
        "UV_HTTP_RETRIES": "1",
        # A version may be in any index, as with pip: the lock's hashes say which file it is.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        **of_pip(configuration(python)),
    }
    return {name: value for name, value in found.items() if name not in os.environ}


def of_pip(options: dict[str, str]) -> dict[str, str]:
    """The same in uv's words; options: pip's, by name."""
    found = {}
    for option, (names, separator) in VARIABLES.items():
        if value := separator.join(options.get(option, "").split()):
            found.update(dict.fromkeys(names, value))
    if options.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        found["UV_OFFLINE"] = "1"
        found.pop("UV_DEFAULT_INDEX", None)
        found.pop("UV_INDEX", None)
    return found


def configuration(python: Path) -> dict[str, str]:
    """Options of pip by name, from its files and from the environment."""
    command = [str(python), "-I", "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True).stdout
    found = {}
    for section in SECTIONS:
        line = rf"^{re.escape(section)}\.([\w-]+)=(['\"].*['\"])$"
        for option, text in re.findall(line, listed, re.MULTILINE):
            if value := ast.literal_eval(text):  # pip takes no notice of an empty one
                found[option] = value
    return found
