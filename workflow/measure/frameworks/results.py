"""What becomes of a step's results, its metrics or outputs, for the parity card: a copy to the host
makes a thread wait, that which issues the steps or another one.
"""

FETCHED = "fetched in each step"
BY_A_THREAD = "fetched by another thread"
LEFT = "left on the device"
