def per_step(task, architecture, batch_size):
    """Return FLOPs (a multiply-add is two) and tokens of one step.

    Matrix products count; the search has none. A training step costs three forward passes of the
    encoders, less one of the first layer of mel frames, which needs no gradient of its inputs. The
    products of all frames with all tokens have no gradient.
    """
    a = architecture
    flops = None
    if task == "fit":
        text = a["tokens"] * a["width"] * (a["width"] + a["channels"])
        first, second = a["mels"] * a["width"], a["width"] * a["channels"]
        speech = a["frames"] * (2 * first + 3 * second)
        pairs = a["frames"] * a["tokens"] * a["channels"]
        flops = batch_size * 2 * (3 * text + speech + pairs)
    tokens = batch_size * a["tokens"]
    return {"flops_per_step": flops, "tokens_per_step": tokens, "images_per_step": None}
