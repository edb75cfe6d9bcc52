"""Segment Anything from Meta's segment-anything."""

import importlib.metadata
import importlib.util
import sys
from functools import partial
from typing import Any

import torch

from millistep.measure.frameworks import Cell
from millistep.measure.frameworks.loops import LEFT
from millistep.measure.models.image_regression import ImageRegression, adam, channels_first
from millistep.measure.models.sam.work import features, images, patch_grid, points

CHECKPOINT = "https://dl.fbaipublicfiles.com/segment_anything/sam_vit_h_4b8939.pth"
PROMPT_SETS = 1  # of points: one for all images

optimizer = adam


def _library() -> tuple[Any, Any]:
    """Import ``(modeling, build_sam)`` without what only the automatic mask generator needs.

    The package's own start imports torchvision for that: it is registered without being run.
    """
    spec = importlib.util.find_spec("segment_anything")
    if spec is None:
        raise ModuleNotFoundError("No module named 'segment_anything'")
    sys.modules["segment_anything"] = importlib.util.module_from_spec(spec)
    from segment_anything import build_sam, modeling

    return modeling, build_sam


modeling, build_sam = _library()


def library() -> str:
    return f"segment-anything {importlib.metadata.version('segment-anything')}"


def build(cell: Cell) -> Any:
    """Return the image encoder with its loss for fit, the whole model for predict."""
    if cell.weights == "preset":
        sam = build_sam.build_sam_vit_h()
        sam.load_state_dict(torch.hub.load_state_dict_from_url(CHECKPOINT))
        encoder = sam.image_encoder
    else:
        encoder = image_encoder(cell)
        sam = segment_anything(cell, encoder) if cell.task == "predict" else None
    return ImageRegression(encoder) if cell.task == "fit" else TwoPoints(sam)


def compile(model: Any, cell: Cell, mode: str | None) -> Any:
    """Compile the encoder with its loss for fit, encoder and mask decoder for predict.

    The points' encoder between those two picks rows by their labels, where a graph
    has to end; compiling it too makes eight graphs and takes longer, for a few rows.
    Centring the images stays eager, too: compiled, by itself or with the encoder, a step
    waited 18 instead of 12 times for a simulated GPU.
    """
    if cell.task == "fit":
        return torch.compile(model, mode=mode)
    model.sam.image_encoder = torch.compile(model.sam.image_encoder, mode=mode)
    model.sam.mask_decoder = torch.compile(model.sam.mask_decoder, mode=mode)
    # A CUDA graph may overwrite what the graphs of earlier steps returned, and any call of a
    # compiled module counts as a new step unless steps are marked. The decoder would overwrite
    # the features that it is about to read (PyTorch issues 152887 and 160281).
    model.register_forward_pre_hook(lambda *_: torch.compiler.cudagraph_mark_step_begin())
    return model


def batch(cell: Cell, batch_size: int) -> Any:
    """Return keyword arguments of the forward pass, as NumPy arrays, channels first."""
    pixels = channels_first(images(cell, batch_size))
    if cell.task == "fit":
        return {"images": pixels, "targets": channels_first(features(cell, batch_size))}
    where, labels = points(cell, PROMPT_SETS)
    return {"images": 255.0 * pixels, "points": where, "labels": labels}


def attention(model: Any) -> str:
    return "matmul"  # Meta's code: two matrix products and a softmax


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings: mean subtracted, sets of points, waiting in predict."""
    # Meta's code centres images before the encoder: that alone, in fit, has no mean of them.
    means = [name for name, _ in model.named_buffers() if "pixel_mean" in name]
    found: dict[str, Any] = {"normalizes_images": bool(means)}
    if cell.task == "predict":
        found["prompt_sets"] = PROMPT_SETS
        # Picking rows by their labels waits for their number from the device.
        found["step_results"] = f"{LEFT}; the encoder of points waits"
    return found


class TwoPoints(torch.nn.Module):  # type: ignore[misc]  # the base is of any type
    """Makes the masks of a batch of images for one set of points.

    ``Sam.forward`` decodes image by image and then enlarges the masks, which is no
    part of KerasCV's model; the page calls the three parts in turn, as here. Images are centred
    within KerasCV's encoder, so that this belongs to a step here, too; on the page it did not.
    """

    def __init__(self, sam: Any) -> None:
        super().__init__()
        self.sam = sam

    def forward(self, images: Any, points: Any, labels: Any) -> Any:
        """Return masks of (batch, 3, size, size) in 0..255, points (1, n, 2), labels (1, n)."""
        embeddings = self.sam.image_encoder(self.sam.preprocess(images))
        sparse, dense = self.sam.prompt_encoder(points=(points, labels), boxes=None, masks=None)
        return self.sam.mask_decoder(
            image_embeddings=embeddings,
            image_pe=self.sam.prompt_encoder.get_dense_pe(),
            sparse_prompt_embeddings=sparse,
            dense_prompt_embeddings=dense,
            multimask_output=True,
        )


def image_encoder(cell: Cell) -> Any:
    """Return ``ImageEncoderViT``: images to (batch, out_channels, grid, grid)."""
    a = cell.architecture
    return modeling.ImageEncoderViT(
        img_size=a["image_size"],
        patch_size=a["patch_size"],
        embed_dim=a["hidden_size"],
        depth=a["layers"],
        num_heads=a["heads"],
        mlp_ratio=a["intermediate_size"] / a["hidden_size"],
        out_chans=a["out_channels"],
        qkv_bias=True,
        norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
        use_rel_pos=True,
        window_size=a["window_size"],
        global_attn_indexes=a["global_layers"],
    )


def segment_anything(cell: Cell, encoder: Any) -> Any:
    """Return the whole model around an image encoder, composed as ``build_sam`` does."""
    a, grid = cell.architecture, patch_grid(cell)
    transformer = modeling.TwoWayTransformer(
        depth=a["decoder_layers"],
        embedding_dim=a["out_channels"],
        num_heads=a["decoder_heads"],
        mlp_dim=a["decoder_intermediate_size"],
    )
    return modeling.Sam(
        image_encoder=encoder,
        prompt_encoder=modeling.PromptEncoder(
            embed_dim=a["out_channels"],
            image_embedding_size=(grid, grid),
            input_image_size=(a["image_size"], a["image_size"]),
            mask_in_chans=16,
        ),
        mask_decoder=modeling.MaskDecoder(
            transformer_dim=a["out_channels"],
            transformer=transformer,
            iou_head_hidden_dim=a["iou_hidden_size"],
        ),
        pixel_mean=[123.675, 116.28, 103.53],
        pixel_std=[58.395, 57.12, 57.375],
    )
