"""Tasks on vision models in KerasCV."""

import math
from functools import partial
from importlib import import_module

from column import abstract, framework_of, predict


def shapes(cell):
    """Shapes of every weight of the cell's model, in order, with nothing allocated."""
    models = framework_of(cell).models
    kerascv = import_module(f"measure.models.{cell.model}.kerascv")
    return shapes_of(models.keras, lambda: kerascv.network(models.keras, models.keras_cv, cell))


def sizes(cell):
    """Number of parameters."""
    return sum(map(math.prod, shapes(cell)))


def library_shapes(cell):
    """Shapes of the weights of KerasCV's own class, for Stable Diffusion."""
    from keras_cv.models import stable_diffusion as library

    keras = framework_of(cell).models.keras

    def build():
        a = cell.architecture
        if cell.task == "predict":
            side = a["image_size"]
            return library.DiffusionModel(side, side, a["text_length"], download_weights=False)
        encoder = library.ImageEncoder(download_weights=False)
        return keras.Model(encoder.inputs, encoder.layers[-3].output)

    return shapes_of(keras, build)


def shapes_of(keras, build):
    return abstract(keras, lambda: [list(variable.shape) for variable in build().weights])


def outputs(cell, folder):
    """Write answers of fit's network into the folder, with the weights there."""
    of = {"sam": sam, "stable_diffusion": partial(image_encoder, cell)}
    predict(cell, folder, of[cell.model], as_keras)


def as_keras(weight, name):
    """A weight in KerasCV's layout: outputs last; a 1 x 1 convolution may be a matrix elsewhere."""
    if name.endswith(".weight"):
        weight = weight.transpose({1: (0,), 2: (1, 0), 4: (2, 3, 1, 0)}[weight.ndim])
    return weight


def sam(model):
    """KerasCV's variables of the image encoder with Meta's names for them."""
    named = {type(layer).__name__: layer for layer in model.layers}
    blocks = [x for x in model.layers if type(x).__name__ == "WindowedTransformerEncoder"]
    pairs = affine(named["ViTDetPatchingAndEmbedding"].projection, "patch_embed.proj")
    pairs += [(named["AddPositionalEmbedding"].pos_embed, "pos_embed")]
    for index, block in enumerate(blocks):
        name, positions = f"blocks.{index}", block.attention.add_decomposed_reative_pe
        pairs += affine(block.layer_norm1, f"{name}.norm1") + affine(
            block.layer_norm2, f"{name}.norm2"
        )
        pairs += affine(block.attention.qkv, f"{name}.attn.qkv")
        pairs += affine(block.attention.projection, f"{name}.attn.proj")
        pairs += [(positions.rel_pos_h, f"{name}.attn.rel_pos_h")]
        pairs += [(positions.rel_pos_w, f"{name}.attn.rel_pos_w")]
        pairs += affine(block.mlp_block.dense_net.layers[0], f"{name}.mlp.lin1")
        pairs += affine(block.mlp_block.dense_net.layers[-1], f"{name}.mlp.lin2")
    for index, layer in enumerate(model.layers[-1].layers):
        pairs += affine(layer, f"neck.{index}")
    return pairs


def image_encoder(cell, model):
    """KerasCV's variables of the VAE's encoder with Diffusers' names for them."""
    layers, blocks = iter(model.layers), cell.architecture["blocks"]
    pairs = affine(next(layers).conv2d, "conv_in")
    for level in range(len(cell.architecture["vae_widths"])):
        if level:
            pairs += affine(next(layers).conv2d, f"down_blocks.{level - 1}.downsamplers.0.conv")
        for index in range(blocks):
            pairs += residual(next(layers), f"down_blocks.{level}.resnets.{index}")
    pairs += residual(next(layers), "mid_block.resnets.0")
    attention, name = next(layers), "mid_block.attentions.0"
    pairs += affine(attention.norm, f"{name}.group_norm")
    for ours, theirs in (("q", "to_q"), ("k", "to_k"), ("v", "to_v"), ("proj_out", "to_out.0")):
        pairs += affine(getattr(attention, ours).conv2d, f"{name}.{theirs}")
    pairs += residual(next(layers), "mid_block.resnets.1")
    pairs += affine(next(layers), "conv_norm_out")
    next(layers)  # the activation
    return pairs + affine(next(layers).conv2d, "conv_out")


def residual(block, name):
    pairs = affine(block.norm1, f"{name}.norm1") + affine(block.conv1.conv2d, f"{name}.conv1")
    pairs += affine(block.norm2, f"{name}.norm2") + affine(block.conv2.conv2d, f"{name}.conv2")
    shortcut = getattr(block.residual_projection, "conv2d", None)
    return pairs + (affine(shortcut, f"{name}.conv_shortcut") if shortcut else [])


def affine(layer, name):
    """A layer's kernel or scale, and its bias if there is one."""
    return list(zip(layer.weights, (f"{name}.weight", f"{name}.bias"), strict=False))
