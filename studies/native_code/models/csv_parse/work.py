def per_step(task, architecture, batch_size):
    """Return no FLOPs: parsing has none that count."""
    return {"flops_per_step": None, "tokens_per_step": None, "images_per_step": None}
