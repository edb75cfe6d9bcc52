"""The session of a run: the runs of one workload and round, on one machine, in one start."""

from __future__ import annotations

import argparse
import hashlib
import platform
import secrets
from dataclasses import dataclass
from typing import Any

from millistep.supervise import device
from millistep.supervise.lock import CPU
from millistep.supervise.turns import Member

DIGITS = 12


@dataclass(frozen=True)
class Session:
    """A session: its id, and the GPU that it is measured on, None for CPUs alone."""

    id: str
    gpu: str | None
    resident: int = 1

    @classmethod
    def of_run(cls, options: argparse.Namespace, identity: dict[str, Any]) -> Session:
        """Return a run's session; raises :class:`supervise.device.NoSuchDevice`."""
        workload = f"{identity['model']}/{identity['task']}-b{identity['batch_size']}"
        about = f"{identity['scale']}/{workload}/round{identity['run']}"
        return cls.of(about, options, options.resident)

    @classmethod
    def of(cls, about: str, options: argparse.Namespace, resident: int = 1) -> Session:
        """Return the session of a workload and round: on a GPU if any of its runs needs one."""
        chosen = device.chosen(options.device) if options.around == "cuda" else None
        gpu = chosen.uuid if chosen else None
        start = options.start or secrets.token_hex(16)
        return cls(_digest(f"{start} {about} {platform.node()} {gpu}"), gpu, resident)

    def member(self, members: list[str], own: str) -> Member:
        """Return the run's place among the members that are resident together; alone if it is none
        of them.
        """
        if own not in members:
            members = [own]
        first = members.index(own) // self.resident * self.resident
        return Member(self.gpu or CPU, self.id, members[first : first + self.resident], own)

    def recorded(self) -> dict[str, Any]:
        """Return the record's ``session``."""
        return {"id": self.id, "device": _digest(self.gpu) if self.gpu else None}


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]
