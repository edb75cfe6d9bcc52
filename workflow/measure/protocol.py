"""How long a run is measured, per scale. Named numbers, in one place."""

from dataclasses import dataclass

# The version of what a number means: which steps are timed, how, and of which models. It is part of
# every fingerprint, so a higher number measures everything again. tests/measured_code.py shows when
# to think about it.
MEASURE = 1


@dataclass(frozen=True)
class Protocol:
    """Bounds of one run; times in seconds, counts in steps."""

    max_steps: int  # the published benchmark times 100 steps
    min_steps: int  # planned whatever they take, besides those for enough blocks
    cap_s: float  # time that more steps are planned for, by a step of the warm-up
    hard_cap_s: float  # stop here whatever was planned
    warmup_steps: int  # steps discarded after the last compilation
    block_s: float  # aimed length of one block
    synchronised_steps: int
    synchronised_cap_s: float
    legacy_steps: int
    legacy_cap_s: float
    probe_steps: int
    probe_cap_s: float
    length_steps: int  # of a probe at another length, whose scatter is reported, too
    length_cap_s: float
    monitor_s: float  # between two samples of the machine


PROTOCOLS = {
    "paper": Protocol(
        max_steps=100,
        min_steps=20,
        cap_s=600.0,
        hard_cap_s=1200.0,
        warmup_steps=2,
        block_s=1.0,
        synchronised_steps=20,
        synchronised_cap_s=60.0,
        legacy_steps=100,
        legacy_cap_s=120.0,
        probe_steps=10,
        probe_cap_s=20.0,
        length_steps=20,
        length_cap_s=60.0,
        monitor_s=1.0,
    ),
    "laptop": Protocol(
        max_steps=100,
        min_steps=20,
        cap_s=1.8,
        hard_cap_s=6.0,
        warmup_steps=2,
        block_s=0.2,
        synchronised_steps=20,
        synchronised_cap_s=0.3,
        legacy_steps=20,
        legacy_cap_s=0.5,
        probe_steps=10,
        probe_cap_s=0.6,
        length_steps=20,
        length_cap_s=0.7,
        monitor_s=0.5,
    ),
    "smoke": Protocol(
        max_steps=20,
        min_steps=8,
        cap_s=2.0,
        hard_cap_s=4.0,
        warmup_steps=2,
        block_s=0.01,
        synchronised_steps=5,
        synchronised_cap_s=1.0,
        legacy_steps=5,
        legacy_cap_s=1.0,
        probe_steps=3,
        probe_cap_s=1.0,
        length_steps=4,
        length_cap_s=1.0,
        monitor_s=0.05,
    ),
}
