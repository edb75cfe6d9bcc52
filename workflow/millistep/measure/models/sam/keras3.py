"""Segment Anything from KerasCV, the same for Keras 2 and Keras 3."""

from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import xla
from millistep.measure.models.kerascv import keras, keras_cv
from millistep.measure.models.sam.work import features, images, patch_grid, points


def build(cell: Cell) -> Any:
    """Return a compiled model: the image encoder with Adam and mse for fit, all for predict."""
    model = network(cell)
    trained = {"optimizer": "adam", "loss": "mse"} if cell.task == "fit" else {}
    model.compile(**xla.options(cell, keras), **trained)
    return model


def network(cell: Cell) -> Any:
    if cell.weights == "preset":
        sam = keras_cv.models.SegmentAnythingModel.from_preset("sam_huge_sa1b")
        encoder = sam.backbone
    else:
        encoder = image_encoder(cell)
        sam = segment_anything(cell, encoder) if cell.task == "predict" else None
    # KerasCV's own predict_step only fills in prompts that are left out, and not for a ready-made
    # batch; our batches leave none out.
    return encoder if cell.task == "fit" else keras.Model(sam.input, sam.output)


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(images, features)`` for fit, ``(inputs,)`` with all five inputs for predict.

    Without a box, KerasCV needs one more point that is none (label -1). Meta's code adds it.
    """
    if cell.task == "fit":
        return images(cell, batch_size), features(cell, batch_size)
    where, labels = points(cell, batch_size)
    side = 4 * patch_grid(cell)
    inputs = {
        "images": images(cell, batch_size),
        "points": np.concatenate([where, np.zeros((batch_size, 1, 2), np.float32)], axis=1),
        "labels": np.concatenate([labels, -np.ones((batch_size, 1), np.float32)], axis=1),
        "boxes": np.zeros((batch_size, 0, 2, 2), np.float32),
        "masks": np.zeros((batch_size, 0, side, side, 1), np.float32),
    }
    return (inputs,)


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings: is the mean subtracted, how many sets of points."""
    encoder = getattr(model, "operations", model.layers)  # under Keras 2 each is a layer
    normalizes = any("subtract" in operation.name for operation in encoder)
    sets = {"prompt_sets": cell.batch_size} if cell.task == "predict" else {}
    return {"normalizes_images": normalizes, **sets}


def attention(model: Any) -> str:
    return "matmul"  # KerasCV writes it out: two matrix products and a softmax


def image_encoder(cell: Cell) -> Any:
    """Return ``ViTDetBackbone``: images to (batch, grid, grid, out_channels)."""
    a = cell.architecture
    return keras_cv.models.ViTDetBackbone(
        include_rescaling=False,
        input_shape=(a["image_size"], a["image_size"], 3),
        patch_size=a["patch_size"],
        embed_dim=a["hidden_size"],
        depth=a["layers"],
        mlp_dim=a["intermediate_size"],
        num_heads=a["heads"],
        out_chans=a["out_channels"],
        window_size=a["window_size"],
        global_attention_indices=a["global_layers"],
    )


def segment_anything(cell: Cell, encoder: Any) -> Any:
    """Return the whole model around an image encoder."""
    a, grid = cell.architecture, patch_grid(cell)
    transformer = keras_cv.models.TwoWayTransformer(
        depth=a["decoder_layers"],
        embed_dim=a["out_channels"],
        num_heads=a["decoder_heads"],
        mlp_dim=a["decoder_intermediate_size"],
    )
    return keras_cv.models.SegmentAnythingModel(
        backbone=encoder,
        prompt_encoder=keras_cv.models.SAMPromptEncoder(
            embed_dim=a["out_channels"],
            image_embedding_size=(grid, grid),
            input_image_size=(a["image_size"], a["image_size"]),
        ),
        mask_decoder=keras_cv.models.SAMMaskDecoder(
            transformer_dim=a["out_channels"],
            transformer=transformer,
            iou_head_hidden_dim=a["iou_hidden_size"],
        ),
    )
