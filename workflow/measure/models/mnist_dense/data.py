"""Real images for a training, shared by all small classifiers."""

from measure.models.classifier.data import NoData, sets

__all__ = ["NoData", "sets"]
