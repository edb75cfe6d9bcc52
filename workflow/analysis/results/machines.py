"""How to tell if records come from one machine.

``machine.id`` names the machine with the GPU that a run sees, so the same machine has two where
some columns run on its processor and others on its GPU.
"""

from collections.abc import Iterable

from analysis.results.machine import Machine
from analysis.results.record import Record


def host(machine: Machine) -> tuple:
    """A key, equal on equal machines, whatever device a run sees; memory varies by a page."""
    kind = machine.os.rpartition(" ")[2]  # the kernel changes with every update
    return (machine.cpu, machine.cores, machine.memory_mib // 1024, kind)


def machines_of(records: Iterable[Record]) -> list[Machine]:
    """The different machines, in the order of the records; one of which some runs saw a GPU is
    named with it.
    """
    found = dict.fromkeys(record.machine for record in records)
    with_gpu = {host(machine) for machine in found if machine.accelerator_name}
    return [m for m in found if m.accelerator_name or host(m) not in with_gpu]


def is_one_machine(records: Iterable[Record]) -> bool:
    """True for one host with one device of each accelerator; also where there is no record."""
    found = list(records)
    devices = {(record.cell.accelerator, record.machine.id) for record in found}
    kinds = {accelerator for accelerator, _ in devices}
    return len({host(record.machine) for record in found}) < 2 and len(devices) == len(kinds)
