def per_step(task, architecture, batch_size):
    flops = 2 * batch_size * architecture["classes"]
    return {"flops_per_step": flops, "tokens_per_step": None, "images_per_step": None}
