"""An observed setting: where a step's results stay, its metrics or outputs.

A copy to the host makes a thread wait: the one that issues the steps, or another one.
"""

FETCHED = "fetched in each step"
BY_A_THREAD = "fetched by another thread"
LEFT = "left on the device"
