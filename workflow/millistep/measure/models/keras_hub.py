"""KerasHub, or KerasNLP, as it was called before 0.17: ``library`` is the one that is there."""

try:
    import keras_hub as library
except ModuleNotFoundError:
    import keras_nlp as library

__all__ = ["library"]
