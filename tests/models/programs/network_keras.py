"""Tasks on networks of one output: BERT in KerasHub or KerasNLP, classifiers in Keras' layers."""

import numpy as np
from column import predict


def outputs(cell, folder):
    """Write the answers into the folder, from the weights there."""
    names = np.load(folder / "weights.npz").files  # layer by layer, the kernel before the bias

    def of_layers(model):
        kernels = [layer for layer in model.layers if layer.weights]
        variables = [v for layer in kernels for v in (layer.kernel, layer.bias)]
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
    pairs = [
        (backbone.token_embedding.embeddings, f"{of}.word_embeddings.weight"),
        (backbone.position_embedding.position_embeddings, f"{of}.position_embeddings.weight"),
        (backbone.segment_embedding.embeddings, f"{of}.token_type_embeddings.weight"),
    ]
    pairs += norm(backbone.embeddings_layer_norm, f"{of}.LayerNorm")
    for number, layer in enumerate(backbone.transformer_layers):
        name, attention = f"bert.encoder.layer.{number}", layer._self_attention_layer
        for kind in ("query", "key", "value"):
            pairs += dense(getattr(attention, f"_{kind}_dense"), f"{name}.attention.self.{kind}")
        pairs += dense(attention._output_dense, f"{name}.attention.output.dense")
        pairs += norm(layer._self_attention_layer_norm, f"{name}.attention.output.LayerNorm")
        pairs += dense(layer._feedforward_intermediate_dense, f"{name}.intermediate.dense")
        pairs += dense(layer._feedforward_output_dense, f"{name}.output.dense")
        pairs += norm(layer._feedforward_layer_norm, f"{name}.output.LayerNorm")
    pairs += dense(backbone.pooled_dense, "bert.pooler.dense")
    return pairs + dense(model.output_dense, "classifier")


def dense(layer, name):
    return [(layer.kernel, f"{name}.weight"), (layer.bias, f"{name}.bias")]


def norm(layer, name):
    return [(layer.gamma, f"{name}.weight"), (layer.beta, f"{name}.bias")]
