"""Work of one step, shared by all small classifiers."""

from measure.models.classifier.work import per_step

__all__ = ["per_step"]
