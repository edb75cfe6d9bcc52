"""Causal language models from HuggingFace Transformers, from 4.38 on, with LoRA from PEFT."""

from typing import Any

import numpy as np
import peft
import torch
import transformers

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, Tick
from millistep.measure.models.causal_lm import work
from millistep.measure.models.causal_lm.work import check_new_tokens

BY_TRAINER = True  # the published scripts time Transformers' Trainer in fit
PRESETS = {"Gemma": "google/gemma-7b", "Mistral": "mistralai/Mistral-7B-v0.1"}
# Transformers' names of sizes; not all kinds have the last two.
SIZES = {
    "vocabulary_size": "vocab_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "key_value_heads": "num_key_value_heads",
    "hidden_size": "hidden_size",
    "intermediate_size": "intermediate_size",
    "head_size": "head_dim",
    "max_positions": "max_position_embeddings",
    "sliding_window": "sliding_window",
}


def library() -> str:
    return f"transformers {transformers.__version__}, peft {peft.__version__}"


def build(cell: Cell) -> Any:
    """Build the model on its device in its dtype from the start: no second copy anywhere."""
    dtype = in_dtype(cell.architecture["dtype"])
    auto = transformers.AutoModelForCausalLM
    if cell.weights == "preset":
        preset = PRESETS[cell.architecture["kind"]]
        model = auto.from_pretrained(preset, **dtype, device_map=cell.accelerator)
    else:
        with torch.device(cell.accelerator):
            model = auto.from_config(config(cell.architecture), **dtype)
    return _with_adapters(model, cell) if cell.task == "fit" else _with_words(model, cell)


def config(a: Architecture) -> Any:
    """Return the configuration of the random model."""
    sizes = {name: a[ours] for ours, name in SIZES.items() if ours in a}
    return getattr(transformers, f"{a['kind']}Config")(**sizes)


def _with_adapters(model: Any, cell: Cell) -> Any:
    """Return adapters like those of Keras' LoRA: query and value, scaled by one."""
    rank = cell.architecture["lora_rank"]
    model.config.use_cache = False
    config = peft.LoraConfig(r=rank, lora_alpha=rank, target_modules=["q_proj", "v_proj"])
    return peft.get_peft_model(model, config)


def _with_words(model: Any, cell: Cell) -> Any:
    a = cell.architecture
    if cell.weights == "preset":
        model.tokenizer = transformers.AutoTokenizer.from_pretrained(PRESETS[a["kind"]])
    else:
        model.tokenizer = word_tokenizer(a)
    end = model.generation_config.eos_token_id
    model.generation_config.update(do_sample=False, pad_token_id=end, eos_token_id=None)
    return model


def word_tokenizer(a: Architecture) -> Any:
    """Return a tokenizer: one token a word, ids as Keras', begin of sequence first."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    special = work.SPECIAL[a["kind"]]
    ids = {piece: i for i, piece in enumerate(work.pieces(a))}
    words = Tokenizer(models.WordLevel(ids, unk_token=special["unk_token"]))
    words.pre_tokenizer = pre_tokenizers.Metaspace()
    words.decoder = decoders.Metaspace()
    begin = special["bos_token"]
    words.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", special_tokens=[(begin, ids[begin])]
    )
    # What Gemma's and Mistral's own tokenizers return; early releases add types to any other's.
    returned = ["input_ids", "attention_mask"]
    fast = transformers.PreTrainedTokenizerFast
    return fast(tokenizer_object=words, model_input_names=returned, **special)


def generate(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
    """Generate strings from strings, as Keras' ``generate()`` does; new tokens are counted.

    No token ends an answer, as in Keras with ``stop_token_ids=None``. A least number of new tokens
    has the same effect, but forbids the end token again for each token. Keras does no such work.
    """
    texts = work.prompts(batch_size, work.prompt_tokens(cell.architecture))
    count = work.new_tokens(cell.architecture)
    facts: dict[str, Any] = {}
    outputs = None
    while not tick():
        inputs = model.tokenizer(texts, return_tensors="pt").to(model.device)
        positions = inputs["input_ids"].shape[1]
        # The first call, which is not timed for the table, shows the cache, too.
        looks = {} if facts else {"return_dict_in_generate": True}
        outputs = model.generate(**inputs, max_new_tokens=count, **looks)
        if looks:
            facts = {**_cache_facts(outputs.past_key_values), "prompt_positions": positions}
            outputs = outputs.sequences
        model.tokenizer.batch_decode(outputs, skip_special_tokens=True)
        check_new_tokens(outputs.shape[1] - positions, cell.architecture)
    return facts if outputs is None else {**facts, "outputs": outputs.cpu().numpy()}


LOOPS = {"generate": generate}


def compile(model: Any, cell: Cell, mode: str | None) -> Any:
    """Compile the model; for ``generate()`` as the documentation of the release describes.

    Today it compiles each token's pass by itself where the cache is static, and never the pass
    over the prompt, which creates the cache and marks its addresses as fixed for torch.compile.
    Before, users compiled the forward pass, with a static cache where the model has one.
    """
    if cell.task == "fit":
        return torch.compile(model, mode=mode)
    if hasattr(transformers, "CompileConfig"):
        config = transformers.CompileConfig(mode=mode)
        setattr(config, ALL_DEVICES, True)  # on the host, too, so that both run the same path
        model.generation_config.update(cache_implementation="static", compile_config=config)
        return model
    if hasattr(model, "_setup_cache"):
        model.generation_config.update(cache_implementation="static")
    model.forward = torch.compile(model.forward, mode=mode)
    return model


def optimizer(model: Any) -> Any:
    """Return AdamW over the adapters with the default constants of Keras' AdamW."""
    trainable = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(trainable, lr=1e-3, eps=1e-7, weight_decay=4e-3)


def batch(cell: Cell, batch_size: int) -> Any:
    """Return keyword arguments of the forward pass, which shifts the labels itself."""
    ids, mask, _ = work.tokens(cell, batch_size)
    ids = ids.astype(np.int64)  # torch's embeddings and losses take 64-bit indices
    return {"input_ids": ids, "attention_mask": mask.astype(np.int64), "labels": ids}


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings: adapters, or the tokenizer and a switch with a private name."""
    if cell.task == "fit":
        found = {str(p.dtype).removeprefix("torch.") for p in model.parameters() if p.requires_grad}
        return {"adapter_dtype": ", ".join(sorted(found))}
    config = getattr(model.generation_config, "compile_config", None)
    forced = cell.accelerator == "cpu" and getattr(config, ALL_DEVICES, False)
    return {
        "tokenizer": work.tokenizer(model.tokenizer, cell),
        "compiled_by": ALL_DEVICES if forced else None,
    }


def attention(model: Any) -> Any:
    return model.config._attn_implementation


def _cache_facts(cache: Any) -> dict[str, str]:
    if getattr(cache, "is_compileable", False):
        names = ("get_max_length", "get_max_cache_shape")  # of different releases
        length = next((getattr(cache, name) for name in names if hasattr(cache, name)), None)
        return {"cache": f"static, {length()} positions" if length else "static"}
    return {"cache": "grows with its tokens"}


# A private name: by itself ``generate()`` compiles on accelerators alone.
ALL_DEVICES = "_compile_all_devices"


def in_dtype(name: str) -> dict[str, Any]:
    """Return options that make a model with numbers of this type from the start."""
    today = hasattr(transformers.PretrainedConfig(), "dtype")
    return {"dtype" if today else "torch_dtype": getattr(torch, name)}
