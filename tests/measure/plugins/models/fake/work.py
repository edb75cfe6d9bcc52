def per_step(task, architecture, batch_size):
    return {"flops_per_step": 1.0, "tokens_per_step": None, "images_per_step": batch_size}
