from millistep.measure.models.snake_net.inputs import shapes


def per_step(task, architecture, batch_size):
    """Return the FLOPs of one step (a multiply-add is two): matrix products.

    A training step costs three forward passes, less one of the first layer, which needs no gradient
    of its inputs. Task predict is the activation alone, without matrix products.
    """
    layers = [2 * before * after for before, after in shapes(architecture)]
    flops = batch_size * (3 * sum(layers) - layers[0]) if task == "fit" else None
    return {"flops_per_step": flops, "tokens_per_step": None, "images_per_step": None}
