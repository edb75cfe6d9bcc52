def per_step(task, architecture, batch_size):
    name = architecture.get("called", "flops_per_step")
    return {name: 1.0, "tokens_per_step": None, "images_per_step": batch_size}


def divide(a, b):
    return a / b
