"""Tasks on causal language models in KerasHub or KerasNLP."""

import json
import math
from operator import attrgetter

import numpy as np
from column import abstract, framework_of

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
        whole = size(backbone.weights)
        backbone.enable_lora(cell.architecture["lora_rank"])
        return [whole, size(backbone.trainable_weights)]

    return abstract(framework.keras, found)


def size(variables):
    return sum(math.prod(variable.shape) for variable in variables)


def outputs(cell, folder):
    """Write the logits of a batch and prompts' texts into the folder, from the weights there."""
    framework = framework_of(cell)
    model = framework.models.build(cell)
    assign(cell, model.backbone, np.load(folder / "weights.npz"))
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


def assign(cell, backbone, weights):
    """Assign Transformers' weights to Keras' variables; every variable gets one."""
    put = {}

    def set_(variable, value):
        assert tuple(variable.shape) == value.shape, (variable.name, value.shape)
        variable.assign(value)
        put[id(variable)] = True

    embedding = backbone.token_embedding
    set_(embedding.embeddings, weights["model.embed_tokens.weight"])
    if cell.architecture["kind"] == "Mistral":
        set_(embedding.reverse_embeddings, weights["lm_head.weight"].T)
    set_(backbone.layer_norm.weights[0], weights["model.norm.weight"])
    for number, layer in enumerate(backbone.transformer_layers):
        for name, place in LAYER[cell.architecture["kind"]].items():
            found = attrgetter(place)(layer)
            variable = found if hasattr(found, "assign") else found.weights[0]  # of a norm
            value = weights[f"model.layers.{number}.{name}.weight"]
            set_(variable, laid_out(cell, value, name, tuple(variable.shape)))
    assert len(put) == len(backbone.weights)


def laid_out(cell, value, name, shape):
    """A matrix of (outputs, inputs) in Keras' layout: inputs first, heads apart.

    Gemma's query, key and value have their heads before the inputs.
    """
    value = value.T
    if cell.architecture["kind"] == "Gemma" and name[-6:] in ("q_proj", "k_proj", "v_proj"):
        heads, inputs, size = shape
        return value.reshape(inputs, heads, size).transpose(1, 0, 2)
    return value.reshape(shape)
