"""Work of one step, shared by all models with an activation of their own."""

from measure.models.activation_net.work import per_step

__all__ = ["per_step"]
