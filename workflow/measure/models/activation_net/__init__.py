"""Dense nets with an activation that a framework lacks; not a model itself."""
