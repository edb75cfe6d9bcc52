"""Work of one step, as of every net with an activation of its own."""

from measure.models.activation_net.work import per_step

__all__ = ["per_step"]
