"""Thresholds of the caveats that have more than a limit (limits.yaml). Shares are of 1."""

# part of a step that does not grow with the batch: such a cell measures framework, not model
FIXED_COST_SHARE = 0.50
LEGACY_DIFFERENCE = 0.05  # between the published arithmetic and ours
FOREIGN_CPU_SHARE = 0.05  # of its processors, used by other processes during the timed steps
WIDE_INTERVAL = 0.05  # relative half-width of a cell's 95 % interval
SLOW_GENERATION = 2.0  # times the fastest column: worth explaining
HARNESS_ERROR = 0.005  # error of a step of known duration, and cost of the monitor
OBSERVER_EFFECT = 0.05  # between a fence after every step and none
CLOCK_CHANGE = 0.05  # between the lowest and the highest clock of a run, or of the runs of a row
HOST_OVERHEAD = 0.50  # of a step in which no operation computes
OTHER_OPERATIONS = 0.15  # of a step, in operations that are in no group
COPY_SHARE = 0.01  # of the fastest step: the time to copy a batch to the device
FEW_PARAMETERS = 0.01  # by which columns may differ and still hold the same model
