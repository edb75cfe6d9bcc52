"""Tasks on networks of one output: BERT in KerasHub or KerasNLP, classifiers in Keras' layers."""

import numpy as np
from column import affine, predict


def outputs(cell, folder):
    """Write the answers into the folder, from the weights there."""
    names = np.load(folder / "weights.npz").files  # layer by layer, the kernel before the bias

    def of_layers(model):
        variables = [variable for layer in model.layers for variable in layer.weights]
        return list(zip(variables, names, strict=True))

    predict(cell, folder, of_bert if cell.model == "bert" else of_layers, as_keras)


def as_keras(weight, name):
    """A weight as Keras has it: inputs before outputs, the sides of a filter before both;
    embeddings are the same.
    """
    if weight.ndim == 4:
        return weight.transpose(2, 3, 1, 0)
    return weight.T if name.endswith("weight") and "embeddings" not in name else weight


def of_bert(model):
    """Keras' variables with Transformers' names for them."""
    backbone, of = model.backbone, "bert.embeddings"
    pairs = affine(backbone.token_embedding, f"{of}.word_embeddings")
    pairs += affine(backbone.position_embedding, f"{of}.position_embeddings")
    pairs += affine(backbone.segment_embedding, f"{of}.token_type_embeddings")
    pairs += affine(backbone.embeddings_layer_norm, f"{of}.LayerNorm")
    for number, layer in enumerate(backbone.transformer_layers):
        name, attention = f"bert.encoder.layer.{number}", layer._self_attention_layer
        for kind in ("query", "key", "value"):
            pairs += affine(getattr(attention, f"_{kind}_dense"), f"{name}.attention.self.{kind}")
        pairs += affine(attention._output_dense, f"{name}.attention.output.dense")
        pairs += affine(layer._self_attention_layer_norm, f"{name}.attention.output.LayerNorm")
        pairs += affine(layer._feedforward_intermediate_dense, f"{name}.intermediate.dense")
        pairs += affine(layer._feedforward_output_dense, f"{name}.output.dense")
        pairs += affine(layer._feedforward_layer_norm, f"{name}.output.LayerNorm")
    pairs += affine(backbone.pooled_dense, "bert.pooler.dense")
    return pairs + affine(model.output_dense, "classifier")
