def per_step(task, architecture, batch_size):
    flops = architecture.get("called", "flops_per_step")
    return {flops: 1.0, "tokens_per_step": None, "images_per_step": batch_size}
