"""pip's configuration as variables for uv, which does not read it: index, wheels, proxy, ...

Standard library only, for Python 3.9 and later: this runs before any environment exists.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

# pip's option -> uv's variables with the same meaning, and the separator of several values.
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
# Later sections override earlier ones, as in pip.
SECTIONS = ("global", "install", ":env:")


def variables(python: Path, cache: Path) -> dict[str, str]:
    """Environment variables with which uv installs as pip would; without those the user has set.

    python: the interpreter whose pip is asked for its configuration. cache: where uv keeps its
    downloads; on the file system of the environments, so that these are hard links, not copies.
    """
    found = {
        "UV_CACHE_DIR": str(cache),
        "UV_HTTP_RETRIES": "1",
        # Any index may have a version, as with pip: the lock's hashes identify the file.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        **of_pip(configuration(python)),
    }
    return {name: value for name, value in found.items() if name not in os.environ}


def of_pip(options: dict[str, str]) -> dict[str, str]:
    """Options of pip as variables of uv; options: pip's, by name."""
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
    """The options that pip has from its files and from the environment, by name."""
    command = [str(python), "-I", "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True).stdout
    found = {}
    for section in SECTIONS:
        line = rf"^{re.escape(section)}\.([\w-]+)=(['\"].*['\"])$"
        for option, text in re.findall(line, listed, re.MULTILINE):
            if value := ast.literal_eval(text):  # pip ignores empty ones
                found[option] = value
    return found
