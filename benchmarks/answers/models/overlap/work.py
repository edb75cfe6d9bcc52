def per_step(task, architecture, batch_size):
    a = architecture
    pixels = batch_size * a["side"] ** 2
    forward = 2 * pixels * a["channels"] * (27 + a["classes"])
    return {"flops_per_step": 3 * forward, "tokens_per_step": None, "images_per_step": batch_size}
