"""Tasks on BERT in KerasHub or KerasNLP."""

from column import predict


def outputs(cell, folder):
    """Write the logits into the folder, from the weights there."""
    predict(cell, folder, counterparts, as_keras)


def as_keras(weight, name):
    """A weight as Keras has it: matrices have their inputs first there; embeddings are the same."""
    return weight.T if name.endswith("weight") and "embeddings" not in name else weight


def counterparts(model):
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
