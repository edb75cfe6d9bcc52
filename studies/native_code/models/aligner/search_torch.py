"""Monotonic alignment search in PyTorch operations."""

import torch


def search(value):
    """Loop over frames; all items and tokens of a frame are computed at once."""
    batch, frames, tokens = value.shape
    # One more column before the first token, from which no path comes.
    best = value.new_full((frames, batch, tokens + 1), -torch.inf)
    best[0, :, 1] = value[:, 0, 0]
    for frame in range(1, frames):
        before, now = best[frame - 1], best[frame, :, 1:]
        torch.maximum(before[:, 1:], before[:, :-1], out=now)
        now += value[:, frame]
    advanced = (best[:-1, :, :-1] > best[:-1, :, 1:]).long()
    token = torch.full((batch, 1), tokens - 1, device=value.device)
    path = [token]
    for frame in range(frames - 2, -1, -1):
        token = token - advanced[frame].gather(1, token)
        path.append(token)
    return torch.cat(path[::-1], dim=1).int()
