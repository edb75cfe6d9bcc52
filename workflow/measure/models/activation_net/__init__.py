"""Dense models with an activation that a framework lacks; not a model by itself."""
