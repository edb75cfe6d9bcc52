"""Work of one step, as of every small classifier."""

from measure.models.classifier.work import per_step

__all__ = ["per_step"]
