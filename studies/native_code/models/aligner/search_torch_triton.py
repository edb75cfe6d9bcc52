"""Monotonic alignment search as a Triton kernel: one program per item."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def _kernel(value, best, path, frames, tokens, WIDTH: tl.constexpr):
    item = tl.program_id(0).to(tl.int64)
    value += item * frames * tokens
    best += item * frames * tokens
    path += item * frames
    token = tl.arange(0, WIDTH)
    inside = token < tokens
    now = tl.where(token == 0, tl.load(value), -1e30)
    tl.store(best + token, now, mask=inside)
    for frame in range(1, frames):
        tl.debug_barrier()  # another thread computed the sum of the token before
        behind = best + (frame - 1) * tokens + token - 1
        advance = tl.load(behind, mask=inside & (token > 0), other=-1e30)
        now = tl.maximum(now, advance) + tl.load(value + frame * tokens + token, mask=inside)
        tl.store(best + frame * tokens + token, now, mask=inside)
    tl.debug_barrier()
    at = tokens - 1
    for back in range(1, frames):
        frame = frames - back
        tl.store(path + frame, at)
        before = best + (frame - 1) * tokens
        advanced = tl.load(before + tl.maximum(at - 1, 0)) > tl.load(before + at)
        at = tl.where(advanced, at - 1, at)
    tl.store(path, 0)


@triton_op("native_code::mas_triton", mutates_args={})
def search(value: torch.Tensor) -> torch.Tensor:
    value = value.contiguous()
    batch, frames, tokens = value.shape
    path = value.new_empty((batch, frames), dtype=torch.int32)
    best = torch.empty_like(value)
    width = triton.next_power_of_2(tokens)
    wrap_triton(_kernel)[(batch,)](value, best, path, frames, tokens, WIDTH=width)
    return path
