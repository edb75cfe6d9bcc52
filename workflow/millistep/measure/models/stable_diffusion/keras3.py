"""Stable Diffusion from KerasCV, the same for Keras 2 and Keras 3."""

from types import SimpleNamespace
from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.frameworks.loops import FETCHED
from millistep.measure.models import Architecture, Tick, xla
from millistep.measure.models.kerascv import keras, keras_cv
from millistep.measure.models.stable_diffusion import work


def build(cell: Cell) -> Any:
    """Return a compiled model: the image encoder with Adam and mse for fit, or the UNet."""
    model = network(cell)
    if cell.task == "fit":
        options: dict[str, Any] = {"optimizer": "adam", "loss": "mse"}
    else:  # the pipeline compiles its own UNet so
        options = {"jit_compile": pipeline_of(cell.architecture).jit_compile}
    model.compile(**options | xla.options(cell, keras))
    return model


def network(cell: Cell) -> Any:
    if cell.weights != "preset":
        make = image_encoder if cell.task == "fit" else unet
        return make(cell.architecture)
    size = cell.architecture["image_size"]
    pipeline = keras_cv.models.StableDiffusion(size, size, **xla.options(cell, keras))
    if cell.task == "predict":
        return pipeline.diffusion_model
    encoder = pipeline.image_encoder
    return keras.Model(encoder.inputs, encoder.layers[-3].output)


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(images, moments)`` for fit; predict's inputs go through the sampler."""
    return work.images(cell, batch_size), work.moments(cell, batch_size)


def attention(model: Any) -> str:
    return "matmul"  # KerasCV writes it out: two matrix products and a softmax


def sample(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
    """Make steps of ``StableDiffusion.generate_image`` around our UNet, ``tick()`` before each."""
    prompts, empty = work.embeddings(cell, batch_size)
    pipeline = pipeline_of(cell.architecture)
    steps = work.Steps(tick)

    def predicted(inputs: Any) -> Any:
        steps.evaluation(inputs["timestep_embedding"], len(inputs["latent"]))
        found = model.predict_on_batch(inputs)
        steps.keep(found)
        return found

    pipeline._diffusion_model = SimpleNamespace(predict_on_batch=predicted)
    # Outside the steps: embeddings instead of a text encoder, and no picture at the end.
    pipeline._text_encoder = SimpleNamespace(predict_on_batch=lambda inputs: empty[:1])
    pipeline._decoder = SimpleNamespace(predict_on_batch=lambda inputs: 0.0)
    found = steps.run(
        lambda: pipeline.generate_image(
            prompts,
            batch_size=batch_size,
            num_steps=work.LENGTH,
            diffusion_noise=work.noise(cell, batch_size),
        ),
        # By predict_on_batch: guidance computes on the host, the scheduler eagerly on the device.
        FETCHED,
    )
    return {"jit_compile_auto": pipeline.jit_compile, **found}


LOOPS = {"predict": sample}


def image_encoder(a: Architecture) -> Any:
    """Return KerasCV's ``ImageEncoder`` at any size, up to its 8 channels (its ``layers[-3]``)."""
    from keras_cv.src.models.stable_diffusion.attention_block import AttentionBlock
    from keras_cv.src.models.stable_diffusion.padded_conv2d import PaddedConv2D
    from keras_cv.src.models.stable_diffusion.resnet_block import ResnetBlock

    widths = a["vae_widths"]
    layers = [PaddedConv2D(widths[0], 3, padding=1)]
    for level, width in enumerate(widths):
        if level:
            halve = PaddedConv2D(widths[level - 1], 3, padding=((0, 1), (0, 1)), strides=2)
            layers.append(halve)
        layers += [ResnetBlock(width) for _ in range(a["blocks"])]
    layers += [ResnetBlock(width), AttentionBlock(width), ResnetBlock(width)]
    layers += [keras.layers.GroupNormalization(epsilon=1e-5), keras.layers.Activation("swish")]
    layers += [PaddedConv2D(2 * work.LATENT_CHANNELS, 3, padding=1)]
    return keras.Sequential([keras.layers.Input((None, None, 3)), *layers])


def unet(a: Architecture) -> Any:
    """Return KerasCV's ``DiffusionModel`` at any size; its deepest level has no attention."""
    from keras_cv.src.models.stable_diffusion.diffusion_model import (
        PaddedConv2D,
        ResBlock,
        SpatialTransformer,
        Upsample,
    )

    widths, heads, side = a["unet_widths"], a["unet_heads"], a["image_size"] // 8
    deepest = len(widths) - 1
    latent = keras.layers.Input((side, side, work.LATENT_CHANNELS), name="latent")
    timestep = keras.layers.Input((widths[0],), name="timestep_embedding")
    context = keras.layers.Input((a["text_length"], a["context_size"]), name="context")
    embedding = keras.layers.Dense(4 * widths[0])(timestep)
    embedding = keras.layers.Activation("swish")(embedding)
    embedding = keras.layers.Dense(4 * widths[0])(embedding)

    def block(x: Any, width: int, attend: bool) -> Any:
        x = ResBlock(width)([x, embedding])
        return SpatialTransformer(heads, width // heads)([x, context]) if attend else x

    x = PaddedConv2D(widths[0], 3, padding=1)(latent)
    skips = [x]
    for level, width in enumerate(widths):
        for _ in range(a["blocks"]):
            x = block(x, width, attend=level < deepest)
            skips.append(x)
        if level < deepest:
            x = PaddedConv2D(width, 3, strides=2, padding=1)(x)
            skips.append(x)
    x = block(x, width, attend=True)
    x = block(x, width, attend=False)
    for level in range(deepest, -1, -1):
        for _ in range(a["blocks"] + 1):
            x = keras.layers.Concatenate()([x, skips.pop()])
            x = block(x, widths[level], attend=level < deepest)
        if level:
            x = Upsample(widths[level])(x)
    x = keras.layers.GroupNormalization(epsilon=1e-5)(x)
    x = keras.layers.Activation("swish")(x)
    x = PaddedConv2D(work.LATENT_CHANNELS, 3, padding=1)(x)
    return keras.Model([latent, timestep, context], x)


def pipeline_of(a: Architecture) -> Any:
    """Return KerasCV's pipeline, with timestep embeddings as wide as our UNet."""

    class Sized(keras_cv.models.StableDiffusion):  # type: ignore[misc]  # the base is of any type
        def _get_timestep_embedding(self, timestep: Any, batch_size: int) -> Any:
            return super()._get_timestep_embedding(timestep, batch_size, dim=a["unet_widths"][0])

    return Sized(a["image_size"], a["image_size"])
