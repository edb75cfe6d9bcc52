"""Shared by the models of this study; not a model by itself."""
