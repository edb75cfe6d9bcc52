"""Dense models with an activation that a framework may lack; not a model by itself."""
