"""Tasks on vision models in KerasCV."""

import math
from functools import partial

import numpy as np
from column import abstract, framework_of, predict
from kerascv_weights import as_keras, image_encoder, sam, sam_encoder, unet

from millistep.measure.models.stable_diffusion.work import embeddings, noise


def shapes(cell):
    """Shapes of every weight of the cell's model, in order, with nothing allocated."""
    framework = framework_of(cell)
    return shapes_of(framework.keras, lambda: framework.models.network(cell))


def sizes(cell):
    """Number of parameters."""
    return sum(map(math.prod, shapes(cell)))


def library_shapes(cell):
    """Shapes of the weights of KerasCV's own class, for Stable Diffusion."""
    from keras_cv.models import stable_diffusion as library

    keras = framework_of(cell).keras

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
    """Write answers of the task's network into the folder, with the weights there."""
    if cell.task == "fit":
        of = {"sam": sam_encoder, "stable_diffusion": partial(image_encoder, cell)}
        predict(cell, folder, of[cell.model], as_keras)
    elif cell.model == "sam":
        predict(cell, folder, sam, as_keras, answer=masks)
    else:
        predict(cell, folder, partial(unet, cell), as_keras, inputs=noisy(cell))


def masks(found):
    """The three masks of each image that Meta's code returns, then their qualities."""
    three, qualities = found["masks"][:, 1:], found["iou_pred"][:, 1:]
    return np.concatenate([three.reshape(len(three), -1), qualities], axis=1)


def noisy(cell):
    """Inputs of Stable Diffusion's UNet at one timestep."""
    pipeline, size = framework_of(cell).models.pipeline_of(cell.architecture), cell.batch_size
    timestep = np.asarray(pipeline._get_timestep_embedding(501, size))
    context = embeddings(cell, size)[0]
    return {"latent": noise(cell, size), "timestep_embedding": timestep, "context": context}
