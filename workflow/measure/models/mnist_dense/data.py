"""Real images for a training, as of every small classifier."""

from measure.models.classifier.data import NoData, sets

__all__ = ["NoData", "sets"]
