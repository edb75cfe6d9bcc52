"""Locked versions, and the platforms and wheels that they are for."""

import re
from dataclasses import dataclass

LINUX_X86, LINUX_ARM, MACOS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
)
EVERYWHERE = frozenset({LINUX_X86, LINUX_ARM, MACOS})
LINUX = EVERYWHERE - {MACOS}
MARKERS = {
    EVERYWHERE: "",
    LINUX: "sys_platform == 'linux'",
    frozenset({LINUX_X86}): "sys_platform == 'linux' and platform_machine == 'x86_64'",
    frozenset({LINUX_ARM}): "sys_platform == 'linux' and platform_machine == 'aarch64'",
    frozenset({MACOS}): "sys_platform == 'darwin'",
    frozenset({LINUX_X86, MACOS}): "sys_platform != 'linux' or platform_machine == 'x86_64'",
    frozenset({LINUX_ARM, MACOS}): "sys_platform != 'linux' or platform_machine == 'aarch64'",
}


@dataclass(frozen=True)
class Pin:
    """One locked version, the platforms that take it, and the hashes of its wheels there."""

    name: str
    version: str
    platforms: frozenset[str]
    hashes: frozenset[str]

    def __str__(self):
        marker = MARKERS[self.platforms]
        requirement = f"{self.name}=={self.version}" + (f" ; {marker}" if marker else "")
        return " \\\n    ".join([requirement, *(f"--hash=sha256:{h}" for h in sorted(self.hashes))])


def parse(text: str) -> list[Pin]:
    """Return the pins in the text of a lock, or of a script that carries one."""
    platforms = {marker: platforms for platforms, marker in MARKERS.items()}
    pins = re.findall(
        r"^([\w.-]+)==([^\s;]+)(?: ; ([^\\\n]+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$",
        text,
        re.MULTILINE,
    )
    return [
        Pin(name, version, platforms[marker], frozenset(re.findall(r"[0-9a-f]{64}", hashes)))
        for name, version, marker, hashes in pins
    ]
