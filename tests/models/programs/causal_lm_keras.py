"""Tasks on causal language models in KerasHub or KerasNLP."""

import json
from functools import partial
from operator import attrgetter

import numpy as np
from column import abstract, framework_of, give

from millistep.measure.frameworks.products import parameters
from millistep.measure.models.causal_lm.work import prompts, tokens

# Transformers' name of a layer's weight, and its place in Keras.
LAYER = {
    "Gemma": {
        "input_layernorm": "pre_attention_norm",
        "post_attention_layernorm": "pre_ffw_norm",
        "self_attn.q_proj": "attention.query_dense.kernel",
        "self_attn.k_proj": "attention.key_dense.kernel",
        "self_attn.v_proj": "attention.value_dense.kernel",
        "self_attn.o_proj": "attention.output_dense.kernel",
        "mlp.gate_proj": "gating_ffw.kernel",
        "mlp.up_proj": "gating_ffw_2.kernel",
        "mlp.down_proj": "ffw_linear.kernel",
    },
    "Mistral": {
        "input_layernorm": "_self_attention_layernorm",
        "post_attention_layernorm": "_feedforward_layernorm",
        "self_attn.q_proj": "_self_attention_layer._query_dense.kernel",
        "self_attn.k_proj": "_self_attention_layer._key_dense.kernel",
        "self_attn.v_proj": "_self_attention_layer._value_dense.kernel",
        "self_attn.o_proj": "_self_attention_layer._output_dense.kernel",
        "mlp.gate_proj": "_feedforward_gate_dense.kernel",
        "mlp.up_proj": "_feedforward_intermediate_dense.kernel",
        "mlp.down_proj": "_feedforward_output_dense.kernel",
    },
}


def sizes(cell):
    """Numbers of all parameters and of LoRA's in Keras 3, with nothing allocated.

    The backbone holds them all; a task would make an optimiser, which the scope forbids.
    """
    framework = framework_of(cell)

    def found():
        backbone = framework.models.backbone(cell.architecture)
        whole = sum(map(parameters, backbone.weights))
        backbone.enable_lora(cell.architecture["lora_rank"])
        return [whole, sum(map(parameters, backbone.trainable_weights))]

    return abstract(framework.keras, found)


def outputs(cell, folder):
    """Write the logits of a batch and prompts' texts into the folder, from the weights there."""
    framework = framework_of(cell)
    model = framework.models.build(cell)
    give(model.backbone, counterparts(cell, model.backbone), folder, partial(as_keras, cell))
    ids, mask, _ = tokens(cell, cell.batch_size)
    inputs = {"token_ids": ids, "padding_mask": mask.astype("int32")}
    logits = framework.keras.Model.predict_on_batch(model, inputs)  # past the preprocessor
    # Not at the top: it imports the Keras that the framework has chosen.
    from millistep.measure.models.causal_lm.keras3 import never_stopping

    options = {"max_length": cell.architecture["max_length"], **never_stopping(model)}
    texts = model.generate(prompts(cell.batch_size), **options)
    np.save(folder / f"{cell.framework}.npy", np.asarray(logits))
    (folder / f"{cell.framework}.json").write_text(json.dumps(list(texts)))


def dtype(cell):
    """Return the observed dtype of the built model."""
    framework = framework_of(cell)
    framework.build()
    return framework.parity()["dtype"]


def counterparts(cell, backbone):
    """Keras' variables with Transformers' names for them."""
    kind, embedding = cell.architecture["kind"], backbone.token_embedding
    pairs = [
        (embedding.embeddings, "model.embed_tokens.weight"),
        (backbone.layer_norm.weights[0], "model.norm.weight"),
    ]
    if kind == "Mistral":
        pairs.append((embedding.reverse_embeddings, "lm_head.weight"))
    for number, layer in enumerate(backbone.transformer_layers):
        for name, place in LAYER[kind].items():
            found = attrgetter(place)(layer)
            variable = found if hasattr(found, "assign") else found.weights[0]  # of a norm
            pairs.append((variable, f"model.layers.{number}.{name}.weight"))
    return pairs


def as_keras(cell, weight, name):
    """A weight in Keras' layout: a matrix has its inputs first, and embeddings are the same.

    Gemma's query, key and value have their heads before the inputs.
    """
    a = cell.architecture
    if a["kind"] == "Gemma" and name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
        heads = a["heads" if "q_proj" in name else "key_value_heads"]
        return weight.reshape(heads, -1, a["hidden_size"]).transpose(0, 2, 1)
    return weight if "embed_tokens" in name else weight.T
