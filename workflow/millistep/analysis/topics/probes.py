"""Times of a run's own step and of its other batch sizes and lengths, in one frame."""

import pandas as pd

from millistep.analysis.frames import CELL, RUN, Data

COLUMNS = [*RUN, "probe", "samples", "max_length", "new_tokens", "steps", "elapsed_ns"]


def timed(data: Data) -> pd.DataFrame:
    """Return a line per run and size; the run's own has `probe` 0 and comes first.

    Its own time is without warm-up windows, as in the table. `samples` is the batch size of the
    line, `new_tokens` are those of the whole batch. Runs without another size are left out.
    """
    others = data.probes.rename(columns={"probe_batch_size": "samples"})
    others = others[others["steps"].astype(float) > 0]
    own = data.runs[[*RUN, "work.tokens_per_step"]].set_axis([*RUN, "new_tokens"], axis=1)
    kept = data.windows[data.windows["kept"]].groupby(level=0)[["steps", "elapsed_ns"]].sum()
    own = own.join(kept, how="inner")
    own = own.merge(others[RUN].drop_duplicates(), on=RUN)
    models = data.plan["models"]
    lengths = {name: model["architecture"].get("max_length") for name, model in models.items()}
    own = own.assign(samples=own["batch_size"], max_length=own["model"].map(lengths), probe=0)
    found = pd.concat([own, others.assign(probe=1)])
    return found.sort_values("probe", kind="stable").reindex(columns=COLUMNS).reset_index(drop=True)


def of_fullest_runs(lines: pd.DataFrame, kind: list[str]) -> pd.DataFrame:
    """Keep the runs of each cell with the most kinds, so that all means are of the same runs."""
    kinds = lines.drop_duplicates([*RUN, *kind]).groupby(RUN, sort=False).size().rename("kinds")
    most = kinds.groupby(level=CELL, sort=False).transform("max")
    return lines.merge(kinds[kinds == most].reset_index()[RUN], on=RUN)
