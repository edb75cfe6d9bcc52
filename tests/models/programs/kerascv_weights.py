"""KerasCV's variables, each with the native library's name of it."""

from collections import defaultdict

from column import affine


def as_keras(weight, name):
    """A weight in KerasCV's layout: outputs last; a 1 x 1 convolution may be a matrix elsewhere.
    Tokens are rows in both.
    """
    if name.endswith(".weight") and not name.endswith("_tokens.weight"):
        weight = weight.transpose({1: (0,), 2: (1, 0), 4: (2, 3, 1, 0)}[weight.ndim])
    return weight


def sam(model):
    """KerasCV's variables of the whole model with our module's names for Meta's."""
    named = {type(layer).__name__: layer for layer in model.layers}
    prompts, decoder = named["SAMPromptEncoder"], named["SAMMaskDecoder"]
    pairs = [(weight, f"sam.image_encoder.{name}") for weight, name in sam_encoder(model)]

    name, matrix = "sam.prompt_encoder", "positional_encoding_gaussian_matrix"
    points = ("background_point", "foreground_point", "top_left_corner", "bottom_right_corner")
    for index, point in enumerate(points):
        pairs += affine(getattr(prompts, f"{point}_embed"), f"{name}.point_embeddings.{index}")
    for one in ("not_a_point_embed", "no_mask_embed"):
        pairs += affine(getattr(prompts, one), f"{name}.{one}")
    pairs += [(getattr(prompts.positional_embedding_layer, matrix), f"{name}.pe_layer.{matrix}")]
    pairs += sequence(prompts.mask_downscaler.layers, f"{name}.mask_downscaling.")

    name = "sam.mask_decoder"
    for one in ("iou_token", "mask_tokens"):
        pairs += affine(getattr(decoder, one), f"{name}.{one}")
    pairs += sequence(decoder.output_upscaling.layers, f"{name}.output_upscaling.")
    for index, mlp in enumerate(decoder.output_hypernetworks_mlps):
        pairs += sequence(dense(mlp), f"{name}.output_hypernetworks_mlps.{index}.layers.")
    pairs += sequence(dense(decoder.iou_prediction_head), f"{name}.iou_prediction_head.layers.")
    return pairs + two_way(decoder.transformer, f"{name}.transformer")


def two_way(transformer, name):
    final = transformer.final_attention_token_to_image
    pairs = attention(final, f"{name}.final_attn_token_to_image")
    pairs += affine(transformer.final_layer_norm, f"{name}.norm_final_attn")
    for index, layer in enumerate(transformer.layers):
        inner = f"{name}.layers.{index}"
        pairs += attention(layer.self_attention, f"{inner}.self_attn")
        for way in ("token_to_image", "image_to_token"):
            across = getattr(layer, f"cross_attention_{way}")
            pairs += attention(across, f"{inner}.cross_attn_{way}")
        for norm in "1234":
            pairs += affine(getattr(layer, f"layer_norm{norm}"), f"{inner}.norm{norm}")
        pairs += sequence(dense(layer.mlp_block), f"{inner}.mlp.lin", start=1)
    return pairs


def attention(layer, name):
    pairs = affine(layer.out_proj, f"{name}.out_proj")
    for what in ("query", "key", "value"):
        pairs += affine(getattr(layer, f"{what}_proj"), f"{name}.{what[0]}_proj")
    return pairs


def dense(mlp):
    """The layers of an MLP that have weights."""
    return [layer for layer in mlp.dense_net.layers if layer.weights]


def sam_encoder(model):
    """KerasCV's variables of the image encoder with Meta's names for them."""
    named = {type(layer).__name__: layer for layer in model.layers}
    blocks = [x for x in model.layers if type(x).__name__ == "WindowedTransformerEncoder"]
    pairs = affine(named["ViTDetPatchingAndEmbedding"].projection, "patch_embed.proj")
    pairs += [(named["AddPositionalEmbedding"].pos_embed, "pos_embed")]
    for index, block in enumerate(blocks):
        name, positions = f"blocks.{index}", block.attention.add_decomposed_reative_pe
        pairs += affine(block.layer_norm1, f"{name}.norm1")
        pairs += affine(block.layer_norm2, f"{name}.norm2")
        pairs += affine(block.attention.qkv, f"{name}.attn.qkv")
        pairs += affine(block.attention.projection, f"{name}.attn.proj")
        pairs += [(positions.rel_pos_h, f"{name}.attn.rel_pos_h")]
        pairs += [(positions.rel_pos_w, f"{name}.attn.rel_pos_w")]
        pairs += sequence(dense(block.mlp_block), f"{name}.mlp.lin", start=1)
    return pairs + sequence(named["Sequential"].layers, "neck.")


def unet(cell, model):
    """KerasCV's variables of the UNet with Diffusers' names for them."""
    of = defaultdict(list)  # layers of a kind, in the order in which they compute
    for layer in model.layers:
        of[type(layer).__name__].append(layer)
    kinds = ("PaddedConv2D", "ResBlock", "SpatialTransformer", "Upsample")
    convolutions, blocks, transformers, enlarging = (iter(of[kind]) for kind in kinds)
    count, deepest = cell.architecture["blocks"], len(cell.architecture["unet_widths"]) - 1
    pairs = sequence(of["Dense"], "time_embedding.linear_", start=1)
    pairs += affine(next(convolutions).conv2d, "conv_in")

    def level(name, count, attends):
        found = []
        for index in range(count):
            found += conditioned(next(blocks), f"{name}.resnets.{index}")
            if attends:
                found += transformer(next(transformers), f"{name}.attentions.{index}")
        return found

    for index in range(deepest + 1):
        pairs += level(f"down_blocks.{index}", count, index < deepest)
        if index < deepest:
            pairs += affine(next(convolutions).conv2d, f"down_blocks.{index}.downsamplers.0.conv")
    pairs += level("mid_block", 1, True) + conditioned(next(blocks), "mid_block.resnets.1")
    for index in range(deepest + 1):
        pairs += level(f"up_blocks.{index}", count + 1, index > 0)
        if index < deepest:
            pairs += affine(next(enlarging).conv.conv2d, f"up_blocks.{index}.upsamplers.0.conv")
    pairs += affine(of["GroupNormalization"][0], "conv_norm_out")
    return pairs + affine(next(convolutions).conv2d, "conv_out")


def conditioned(block, name):
    """A residual block that takes the timestep."""
    pairs = affine(block.embedding_flow[-1], f"{name}.time_emb_proj")
    for index, flow in enumerate((block.entry_flow, block.exit_flow), start=1):
        pairs += affine(flow[0], f"{name}.norm{index}")
        pairs += affine(flow[-1].conv2d, f"{name}.conv{index}")
    return pairs + shortcut(block, name)


def transformer(layer, name):
    pairs, inner = affine(layer.norm, f"{name}.norm"), layer.transformer_block
    pairs += affine(layer.proj1.conv2d, f"{name}.proj_in")
    pairs += affine(layer.proj2.conv2d, f"{name}.proj_out")
    name = f"{name}.transformer_blocks.0"
    pairs += affine(inner.geglu.dense, f"{name}.ff.net.0.proj")
    pairs += affine(inner.dense, f"{name}.ff.net.2")
    for norm in "123":
        pairs += affine(getattr(inner, f"norm{norm}"), f"{name}.norm{norm}")
    for index in "12":
        heads = getattr(inner, f"attn{index}")
        pairs += affine(heads.out_proj, f"{name}.attn{index}.to_out.0")
        for what in ("to_q", "to_k", "to_v"):
            pairs += affine(getattr(heads, what), f"{name}.attn{index}.{what}")
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
    return pairs + shortcut(block, name)


def shortcut(block, name):
    """What a block that changes the width has, and no other."""
    found = getattr(block.residual_projection, "conv2d", None)
    return affine(found, f"{name}.conv_shortcut") if found else []


def sequence(layers, name, start=0):
    return [pair for i, x in enumerate(layers, start) for pair in affine(x, f"{name}{i}")]
