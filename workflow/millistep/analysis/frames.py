"""Everything planned and measured as frames, computed once each.

Keys: WORKLOAD, CELL, RUN. A configuration is a framework with its settings (`column` in the JSON
files). GROUP are the cells that compete: one workload, software stack and accelerator.
"""

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis import plausible, stats, steady
from millistep.analysis.parallel import each
from millistep.analysis.words import count, percent
from millistep.contracts.record import CALM_WINDOWS, FOREIGN_MUCH

WORKLOAD = ["model", "task", "batch_size"]
CELL = [*WORKLOAD, "configuration"]
RUN = [*CELL, "run"]
GROUP = [*WORKLOAD, "stack", "accelerator"]

FOREIGN_SOME, VARYING = 0.05, 0.25
# Scalars that other modules rely on, also if no record has them.
SCALARS = [
    "session.id", "machine.id", "started_at", "finished_at", "log_tail",
    "load.foreign_cpu_share", "load.swapped_mib", "monitor.gpu.foreign_processes",
    "threads.requested", "environment.method",
    "work.flops_per_step", "work.parameters", "work.trainable_parameters",
    "work.tokens_per_step",
    "memory.peak_rss_mib", "memory.peak_device_mib",
    "timing.import_s", "timing.build_s", "timing.first_step_s", "timing.warmup_s",
    "timing.warmup_steps", "timing.compile_cache", "timing.legacy.step_ms", "timing.in_turns",
    "timing.start_alone", "energy.joules_per_step", "synchronized_ms",
    "host_overhead.step_ms", "host_overhead.rest_ms",
    "parity.dtype", "parity.matmul_precision", "parity.convolution_precision",
]  # fmt: skip
LOOK = ["configuration", "title", "framework", "family", "color", "marker"]
REFERENCE = ["accelerator", "session", "foreign_cpu_share"]  # of a reference file
REFERENCE += ["dtype", "size", "step_ms", "flops_per_s"]  # of one of its products


class Data:
    """The plan and the records as frames, in the order of the table.

    `plan` and `self_test` are JSON content. `frames` has a line per planned run in `runs`, and all
    lists of the records, in which the index is the number of the run. `references` has the columns
    REFERENCE; `machines`: machine, section, name, value.
    """

    def __init__(
        self,
        plan: dict[str, Any],
        frames: dict[str, pd.DataFrame],
        references: list[dict[str, Any]],
        machines: list[dict[str, Any]],
        self_test: dict[str, Any] | None,
    ):
        self.plan, self.self_test = plan, self_test
        self._frames = frames
        self.references = pd.DataFrame(references, columns=REFERENCE)
        self.machines = pd.DataFrame(machines, columns=["machine", "section", "name", "value"])

    @cached_property
    def workloads(self) -> pd.DataFrame:
        """Lines WORKLOAD with title, measures.* and `workload`, its label."""
        found = pd.json_normalize(self.plan["rows"])
        sizes = found.groupby(["model", "task"])["batch_size"].transform("size")
        batch = ", batch " + found["batch_size"].astype(str)
        return found.assign(workload=found["title"] + batch.where(sizes > 1, ""))

    @cached_property
    def configurations(self) -> pd.DataFrame:
        """Lines configuration, title, framework, family, color, marker, every setting."""
        entries = pd.DataFrame(self.plan["columns"])
        settings = pd.DataFrame(entries["settings"].tolist()).map(
            lambda value: " ".join(map(str, value)) if isinstance(value, list) else value
        )
        names = list(dict.fromkeys(["stack", "accelerator", "precision", *settings]))
        found = entries.rename(columns={"name": "configuration"})
        return found[LOOK].join(settings.reindex(columns=names))

    @cached_property
    def planned(self) -> pd.DataFrame:
        """A line per planned cell, with its facts in the plan.

        CELL, planned_runs, unsupported, workload, title, framework, family, stack, accelerator.
        """
        found = pd.DataFrame(self.plan["cells"]).rename(columns={"column": "configuration"})
        found["planned_runs"] = found["runs"].map(len)
        found = found[[*CELL, "planned_runs", "unsupported"]]
        found = found.merge(self.workloads[[*WORKLOAD, "workload"]], on=WORKLOAD, how="left")
        names = ["configuration", "title", "framework", "family"]
        names += ["stack", "accelerator", "precision"]
        return found.merge(self.configurations[names], on="configuration", how="left")

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A line per planned run: RUN, status, reason, every scalar of the record by dotted name.

        Added: workload, title, stack, accelerator, framework, family; `ok`; session; ms_per_step
        (of the windows that are kept), steps, windows, window_cv, fastest_window_ms,
        disturbed_windows; state and course (`steady`); flops_per_s,
        best_flops_per_s (of the machine's best product); `affected` (the reason if other work
        interfered, else ''), `used` (enters the mean of its cell); plain_ms and profiler_slowdown
        of its profile.
        """
        found = self._frames["runs"]
        found = found.reindex(
            columns=list(dict.fromkeys([*RUN, "path", "status", "reason", *found, *SCALARS]))
        )
        found = found.merge(
            self.planned.drop(columns=["planned_runs", "unsupported"]), on=CELL, how="left"
        )
        found["ok"] = found["status"] == "ok"
        found["session"] = found["session.id"].astype(object).fillna("")
        found = found.join(self._run_times)
        share = self.references["foreign_cpu_share"].astype(float).fillna(0)
        found = plausible.judged(found, self.references[share < FOREIGN_MUCH])
        found["ok"] = found["status"] == "ok"
        found["disturbed_windows"] = found["disturbed_windows"].fillna(0).astype(int)
        share = found.pop("window_foreign_share").fillna(found["load.foreign_cpu_share"])
        found["affected"] = _interference(found, share).where(found["ok"], "")
        clean = (
            (found["ok"] & (found["affected"] == ""))
            .groupby([found[k] for k in CELL])
            .transform("sum")
        )
        found["used"] = found["ok"] & ((found["affected"] == "") | (clean < stats.MIN_RUNS))
        found["ms_per_step"] = found["ms_per_step"].where(found["ok"])
        found["flops_per_s"] = found["work.flops_per_step"] / found["ms_per_step"] * 1000
        return self._with_profiler(found)

    @cached_property
    def windows(self) -> pd.DataFrame:
        """Lines RUN, window, start_ns, elapsed_ns, steps, foreign_cpu_share, ms_per_step, calm,
        kept (calm and no warm-up).

        calm: without interference; all windows of a run with fewer than two. The index is that of
        `runs`.
        """
        windows = self._frames["windows"].assign(calm=self._calm)
        found = self._frames["runs"][RUN].join(windows, how="inner")
        found = found.join(self._run_states["skipped"])
        found["window"] = found.groupby(level=0).cumcount() + 1
        found["ms_per_step"] = found["elapsed_ns"] / found["steps"] / 1e6
        number = found["calm"].groupby(level=0).cumsum()
        return found.assign(kept=found["calm"] & (number > found.pop("skipped")))

    @cached_property
    def _disturbed(self) -> pd.Series:
        return self._frames["windows"]["foreign_cpu_share"].astype(float).ge(FOREIGN_MUCH)

    @cached_property
    def _calm(self) -> pd.Series:
        calm = ~self._disturbed
        return calm | (calm.groupby(level=0).transform("sum") < CALM_WINDOWS)

    @cached_property
    def _run_states(self) -> pd.DataFrame:
        """By run: state, course, and the number of skipped warm-up windows."""
        windows = self._frames["windows"][self._calm.to_numpy()]
        starts = np.flatnonzero(~windows.index.duplicated())
        logs = np.log((windows["elapsed_ns"] / windows["steps"]).to_numpy(float))
        found = pd.DataFrame(
            each(steady.run, np.split(logs, starts)[1:], at_once=500),
            windows.index[starts],
            ["state", "course", "skipped"],
        )
        cells = [self._frames["runs"][name] for name in CELL]
        warmed = found["state"].eq(steady.WARM_UP).groupby(cells).transform("mean") > 0.5
        return found.assign(skipped=found["skipped"].where(warmed, 0).astype(int))

    @cached_property
    def _run_times(self) -> pd.DataFrame:
        """By run: ms_per_step, steps, windows, window_cv, window_foreign_share (means of those that
        are kept; the largest share if all but one are disturbed), fastest_window_ms,
        disturbed_windows, state, course.
        """
        kept = self.windows[self.windows["kept"]]
        groups = kept.groupby(level=0)
        share = kept["foreign_cpu_share"].astype(float).groupby(level=0).agg(["mean", "max"])
        few = (~self._disturbed).groupby(level=0).sum() < CALM_WINDOWS
        sums = groups[["elapsed_ns", "steps"]].sum()
        found = pd.DataFrame(
            {
                "ms_per_step": sums["elapsed_ns"] / sums["steps"] / 1e6,
                "steps": sums["steps"],
                "windows": groups.size(),
                "window_cv": groups["ms_per_step"].std() / groups["ms_per_step"].mean(),
                "window_foreign_share": share["mean"].mask(few, share["max"]),
                "disturbed_windows": (~self.windows["calm"]).groupby(level=0).sum(),
                "fastest_window_ms": self.windows.groupby(level=0)["ms_per_step"].min(),
            }
        )
        return found.join(self._run_states[["state", "course"]])

    def _with_profiler(self, runs: pd.DataFrame) -> pd.DataFrame:
        pairs = self._frames["profile_pairs"]
        logs = np.log(pairs["profiled_ms"].astype(float) / pairs["plain_ms"].astype(float))
        slowdown = np.exp(logs.groupby([runs[name] for name in CELL]).mean()).clip(lower=1)
        plain = pairs["plain_ms"].groupby([runs[name] for name in RUN]).mean()
        runs = runs.join(plain, on=RUN)
        runs = runs.join(slowdown.rename("profiler_slowdown"), on=CELL)
        return runs.fillna({"profiler_slowdown": 1.0})

    @cached_property
    def operations(self) -> pd.DataFrame:
        """Lines RUN, name, ms, launched: what a profiled step of an ok run is spent on."""
        return self._of_ok_runs("operations")

    @cached_property
    def probes(self) -> pd.DataFrame:
        """Lines RUN, probe_batch_size, max_length, new_tokens, steps, elapsed_ns."""
        return self._of_ok_runs("probes")

    @cached_property
    def calls(self) -> pd.DataFrame:
        """Lines RUN, name, per_step: Python functions that a step of a regression check calls."""
        return self._of_ok_runs("calls")

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """Lines RUN, value: losses or outputs of the runs of a regression check."""
        return self._of_ok_runs("outcome")

    @cached_property
    def metadata(self) -> pd.DataFrame:
        """Lines RUN, entry, value (text): the settings observed in the live framework."""
        return self._of_ok_runs("metadata")

    @cached_property
    def packages(self) -> pd.DataFrame:
        """Lines RUN, package, version."""
        return self._of_ok_runs("packages")

    def _of_ok_runs(self, name: str) -> pd.DataFrame:
        runs = self.runs.loc[self.runs["ok"], RUN]
        return runs.join(self._frames[name], how="inner").reset_index(drop=True)

    @cached_property
    def timed(self) -> pd.DataFrame:
        """A line per planned cell before comparisons: `cells` without ratios and standings."""
        used = self.runs[self.runs["used"]]
        logs = used.assign(log=np.log(used["ms_per_step"])).groupby(
            [*CELL, "machine.id"], sort=False, dropna=False
        )["log"]
        found = self.planned.join(stats.means_over_machines(logs, CELL), on=CELL)
        runs = self.runs.groupby(CELL, sort=False)
        found = found.join(runs["used"].sum().rename("runs"), on=CELL)
        found["runs"] = found["runs"].fillna(0).astype(int)
        found = found.join(self._outcomes, on=CELL)
        found["status"] = found["status"].fillna("unsupported")
        found["reason"] = found["reason"].fillna(found["unsupported"]).fillna("")
        affected = used[used["affected"] != ""].drop_duplicates(CELL).set_index(CELL)["affected"]
        found = found.join(affected, on=CELL).fillna({"affected": ""})
        found = found.join(steady.cells(used, CELL), on=CELL)
        no_time = found["status"] + np.where(found["reason"] != "", ": " + found["reason"], "")
        found["why_excluded"] = np.select(
            [found["ms"].isna(), found["affected"] != "", found["steady"].eq(False)],
            [
                no_time,
                found["affected"],
                "its steps did not reach a steady state: " + found["state"].astype(str),
            ],
            "",
        )
        found["comparable"] = found["why_excluded"] == ""
        means = used.groupby(CELL, sort=False).agg(
            flops_per_s=("flops_per_s", "mean"),
            best_flops_per_s=("best_flops_per_s", "max"),
            host_memory_mib=("memory.peak_rss_mib", "max"),
            device_memory_mib=("memory.peak_device_mib", "max"),
            legacy_ms=("timing.legacy.step_ms", "mean"),
            synchronized_ms=("synchronized_ms", "mean"),
            in_turns=("timing.in_turns", "max"),
            joules_per_step=("energy.joules_per_step", "mean"),
            steps=("steps", "sum"),
            total_parameters=("work.parameters", "max"),
            trained_parameters=("work.trainable_parameters", "max"),
        )
        found = found.join(means, on=CELL)
        found["trained_parameters"] = found["trained_parameters"].where(found["task"] == "fit")
        found["share_of_best"] = found["flops_per_s"] / found["best_flops_per_s"]
        return found

    @cached_property
    def _outcomes(self) -> pd.DataFrame:
        """By CELL: ok with any usable run, else status and reason of the first run that ended."""
        order = self.runs["status"].map({"ok": 0, "outdated": 2, "not measured": 3}).fillna(1)
        first = (
            self.runs.assign(order=order).sort_values("order", kind="stable").drop_duplicates(CELL)
        )
        return first.set_index(CELL)[["status", "reason"]]

    @cached_property
    def round_ratios(self) -> pd.DataFrame:
        """Lines WORKLOAD, base, configuration, run, machine, log, pairs, looks (of the workload).

        `log` is log(t(configuration) / t(base)) of one round, for every ordered pair of comparable
        cells whose runs share a round and a session. `pairs` counts pairs of neighboring timing
        windows; 0 if the runs did not take turns, so that `log` compares their means.
        """
        comparable = self.timed.set_index(CELL)["comparable"]
        runs = self.runs[self.runs["used"]].join(comparable, on=CELL)
        runs = runs[runs["comparable"]]
        machine, mean = runs["machine.id"].fillna(""), np.log(runs["ms_per_step"])
        runs = runs[[*RUN, "session"]].assign(machine=machine, mean=mean)
        kept = self.windows[self.windows["kept"]]
        places = kept.groupby(level=0).indices
        starts, logs = kept["start_ns"].to_numpy(float), np.log(kept["ms_per_step"].to_numpy(float))
        lines = []
        for (*workload, run, _), group in runs.groupby([*WORKLOAD, "run", "session"], sort=False):
            names, machines, means = (
                group[k].tolist() for k in ("configuration", "machine", "mean")
            )
            own = [places[number] for number in group.index]
            for new in range(len(names)):
                for base in range(new):
                    a, b = own[new], own[base]
                    log, pairs = stats.neighbors(starts[a], logs[a], starts[b], logs[b])
                    if not pairs:
                        log = means[new] - means[base]
                    sides, about = (names[base], names[new]), (run, machines[new])
                    lines.append((*workload, *sides, *about, log, pairs))
                    lines.append((*workload, *reversed(sides), *about, -log, pairs))
        columns = [*WORKLOAD, "base", "configuration", "run", "machine", "log", "pairs"]
        looks = pd.DataFrame(self.plan["rows"])[[*WORKLOAD, "looks"]]
        found = pd.DataFrame(lines, columns=columns).astype({"log": float, "pairs": int})
        return found.merge(looks, on=WORKLOAD)

    @cached_property
    def ratios(self) -> pd.DataFrame:
        """Lines WORKLOAD, base, configuration, ratio, low, high, p, rounds, pairs.

        ratio = t(configuration) / t(base) over all rounds, with its 95 % interval.
        """
        by = [*WORKLOAD, "base", "configuration"]
        return stats.over_rounds(self.round_ratios, by).reset_index()

    @cached_property
    def cells(self) -> pd.DataFrame:
        """A line per planned cell, in the order of the table.

        CELL, workload, title, framework, family, stack, accelerator, precision, planned_runs;
        ms, low, high (95 %), runs (in the mean), status, reason, state, steady, affected;
        comparable and why_excluded; fastest (its configuration in the GROUP), standing, ratio,
        ratio_low, ratio_high, rounds, p (corrected), against the fastest; flops_per_s,
        best_flops_per_s, share_of_best, host_memory_mib, device_memory_mib, legacy_ms,
        synchronized_ms, joules_per_step, steps, in_turns, total_parameters, and of fit
        trained_parameters.
        """
        return stats.with_the_fastest(self.timed, self.ratios, GROUP, WORKLOAD)


def _interference(runs: pd.DataFrame, share: pd.Series) -> pd.Series:
    """Return the reason why a run's time is unreliable: other work used the CPUs or the GPU.

    share: of the CPU time that other processes used.
    """
    varying = runs["window_cv"].fillna(0) > VARYING
    others = runs["monitor.gpu.foreign_processes"].astype(float).fillna(0)
    texts = []
    for one, much, gpu in zip(share.astype(float).fillna(0), varying, others, strict=True):
        cpu = one >= FOREIGN_MUCH or (one >= FOREIGN_SOME and much)
        parts = [f"other processes used {percent(one)} of the CPU time"] * cpu
        parts += [f"{count(int(gpu), 'other process', 'other processes')} used the GPU"] * (gpu > 0)
        texts.append(" and ".join(parts))
    return pd.Series(texts, runs.index, dtype=object)
