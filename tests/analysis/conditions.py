"""A table that no caveat applies to, and for each rule one change that its caveat speaks of."""

from record_changes import profile
from results_factory import Project, identity, make_plan

from analysis.caveats import collect

JAX, TORCH = "keras3-jax", "keras3-torch"
# Idle 10 % of a step, products 74 %, and 16 % that no rule knows.
HALF_KNOWN = {"aten::mm": (0.74, 1), "nobody::knows": (0.16, 1)}
QUIET = {"scale": "paper", "accelerator": "cuda", "weights": "preset"}


def quiet_project(folder):
    """Two columns that differ in nothing, on paper scale and a GPU: no caveat applies."""
    plan = make_plan(runs=3, rows=(("bert", "fit", 8, 32),), columns=(JAX, TORCH), **QUIET)
    project = Project(folder, plan)
    for record in project.records.values():
        record["parity"].update(execution="jit", compiler="xla")
    return project


def parity(key, value):
    return lambda p: p.change(lambda r: r["parity"].update({key: value}), column=TORCH)


def record(section, key, value, **where):
    where = {"column": TORCH, "run": 2, **where}
    return lambda p: p.change(lambda r: r[section].update({key: value}), **where)


def on_processor(project):
    """The same table, planned and measured without the GPU."""
    plan = project.plan
    plan.update(accelerator="cpu")
    project.canaries_on = {"cpu": project.canaries}
    for column in plan["columns"]:
        column["settings"]["accelerator"] = "cpu"
    project.change(lambda r: r["cell"].update(accelerator="cpu"))


def on_both_devices(project):
    """The same row of one framework on the processor and on the GPU."""
    twin = make_plan(3, (("bert", "fit", 8, 32),), (JAX, f"{JAX}+cpu"), **QUIET)
    other = Project(project.folder, twin)
    project.plan, project.records = other.plan, other.records
    project.canaries_on, project.machine_card = other.canaries_on, other.machine_card


def on_the_pages_stack(project):
    """One column is said to have the page's versions; its record names others."""
    project.plan["columns"][1]["settings"]["stack"] = "2024-03"


EPOCH = {"steps_s": 1.0, "validation_s": 0.5, "validation_loss": 0.15, "validation_right": 250}


def trained(project, **changes):
    """Both columns trained for an epoch, one of them otherwise."""
    project.plan["training"] = {"data": "digits", "epochs": 1}
    same = {"data": "digits", "sha256": "ab" * 32, "status": "ok", "reason": ""}
    same |= {"images": 1520, "validation_images": 264, "epochs": [EPOCH]}
    for column, training in ((JAX, same), (TORCH, {**same, **changes})):
        project.change(lambda r, t=training: r.update(training=t), column, run=1)


def slow_fixed_probe(project):
    # twice the batch takes 1.2 times as long: 80 % of the step is fixed
    def change(r):
        r["probes"][0]["elapsed_ns"] = r["probes"][0]["steps"] * int(1.2 * step_ns(r))

    project.change(change, column=TORCH)


def step_ns(r):
    block = r["timing"]["blocks"][0]
    return block["elapsed_ns"] // block["steps"]


def scattered(project):
    def change(r):
        for index, block in enumerate(r["timing"]["blocks"]):
            block["elapsed_ns"] = int(block["elapsed_ns"] * (0.9 if index % 2 else 1.1))

    project.change(change, column=TORCH)


def slowed(project):
    def change(r):
        for block in r["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 103 // 100

    project.change(change, column=TORCH, run=2)


def few_blocks(project):
    def change(r):
        r["timing"].update(blocks=[{"steps": 100, "elapsed_ns": 100 * step_ns(r)}])

    project.change(change, column=TORCH, run=2)


def spread_runs(project):
    for run, factor in ((1, 1.0), (2, 1.15), (3, 0.9)):
        project.change(lambda r, f=factor: scale(r, f), column=TORCH, run=run)


def scale(r, factor):
    for block in [*r["timing"]["blocks"], *r["probes"]]:
        block["elapsed_ns"] = int(block["elapsed_ns"] * factor)
    r["timing"]["legacy"]["step_ms"] *= factor


def one_run_only(project):
    project.plan["runs"] = 1
    for cell in project.plan["cells"]:
        cell["runs"] = cell["runs"][:1]
    kept = {run["record"] for cell in project.plan["cells"] for run in cell["runs"]}
    project.records = {path: r for path, r in project.records.items() if path in kept}


def another_batch_size(project):
    twin = make_plan(3, (("bert", "fit", 8, 32), ("bert", "fit", 16, 32)), (JAX, TORCH), **QUIET)
    other = Project(project.folder, twin)
    for r in other.records.values():
        r["parity"].update(execution="jit", compiler="xla")
    project.records, project.canaries = other.records, other.canaries
    project.plan.update(rows=twin["rows"], cells=twin["cells"], blocks=twin["blocks"])


def unsupported_cell(project):
    cell = project.plan["cells"][1]
    for run in cell["runs"]:
        del project.records[run["record"]]
    cell.update(unsupported="does not exist there", runs=[])


def without_record(project):
    del project.records[project.plan["cells"][1]["runs"][2]["record"]]


def legacy(project):
    project.change(lambda r: r["timing"]["legacy"].update(step_ms=1.0), column=TORCH)


def stale(project):
    project.change(lambda r: r.update(identity=identity(TORCH, "fit", 2, x=1)), column=TORCH, run=2)


def short(project):
    def change(r):
        block = {"steps": 2, "elapsed_ns": 2 * step_ns(r)}
        r["timing"].update(blocks=[block] * 8)

    project.change(change, column=TORCH)


def padded(project):
    """A call takes 4 + 0.4 n + 0.004 n L ms for n new tokens at length L: at the row's own 44 and
    50 these are 4 + 17.6 + 8.8 = 30.4 ms, of which the last 8.8 go with the length.
    """
    project.plan["models"]["bert"]["architecture"]["max_length"] = 50

    def change(r):
        generating(r, lambda n, length: 4 + 0.4 * n + 0.004 * n * length)

    project.change(change, column=TORCH)


LENGTHS = ((14, 20), (44, 100), (44, 200))  # new tokens and length of the probes


def generating(r, call_ms, kinds=LENGTHS, own=(44, 50)):
    """Turn a record into one of a row that generates; ms of a call by new tokens and length."""
    size, own_ms = r["cell"]["batch_size"], call_ms(*own)
    r["work"]["tokens_per_step"] = size * own[0]
    r["timing"]["legacy"]["step_ms"] = own_ms
    r["timing"]["synchronised_ns"] = [round(own_ms * 1e6)] * 10
    for block in r["timing"]["blocks"]:
        block["elapsed_ns"] = round(block["steps"] * own_ms * 1e6)
    r["probes"] = [
        {
            "batch_size": size,
            "max_length": length,
            "new_tokens": size * new_tokens,
            "steps": 2,
            "elapsed_ns": round(2 * call_ms(new_tokens, length) * 1e6),
            "failed": None,
        }
        for new_tokens, length in kinds
    ]


def clock(low, middle, high):
    return {"min": float(low), "median": float(middle), "max": float(high)}


def gpu_readings(**more):
    """A GPU that nothing disturbed."""
    steady = clock(1400, 1400, 1400)
    names = ("sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "utilization_percent")
    return dict.fromkeys(names, steady) | {"throttle_reasons": [], "foreign_processes": 0} | more


def nearly_as_fast(project):
    def change(r):
        scale(r, 8.1 / 30)
        r["timing"]["synchronised_ns"] = [step_ns(r)]

    project.change(change, TORCH)


def overhead(r, before=(), after=()):
    """Say of a profile what nobody said yet, and what replaces what is said."""
    least = {"share": 0.1, "method": "profiler", "steps": 3}
    r["host_overhead"] = {**least, **dict(before), **(r["host_overhead"] or {}), **dict(after)}


def two_counters(project):
    for column, counter in ((JAX, "rapl"), (TORCH, "nvml")):
        energy = {"joules_per_step": 2.0, "counter": counter}
        project.change(lambda r, e=energy: r.update(energy=e), column)


def fed(project, way, column, bytes_per_step=5_000_000):
    """What a column's cards say of its feeding; 5 MB take 0.3 ms, 1 % of a step of 30 ms."""
    entries = {"feeding": way, "fed_bytes_per_step": bytes_per_step}
    project.change(lambda r: r["parity"].update(entries), column)


def fed_differently(project):
    fed(project, "tensors in pinned memory, copied in the step", TORCH)
    fed(project, "NumPy arrays, prefetched, copied ahead of the step", JAX)


def counted_differently(project):
    for column, way in ((JAX, "from the start"), (TORCH, "from the end of the warm-up")):
        memory = {"peak_device_mib": 900.0, "peak_device_counts": way}
        project.change(lambda r, m=memory: r["memory"].update(m), column)


def slower_beside_neighbours(project):
    """In one round another slot of the node was busy, and every step took 2 % longer."""

    def disturb(record):
        record["session"].update(slots=2, neighbours=1)
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] = int(1.02 * block["elapsed_ns"])

    project.change(disturb, run=2)


def ids(project):
    return [caveat.id for caveat in collect(project.load())]


CONDITIONS = {
    "not_the_pages_version": on_the_pages_stack,
    "execution_differs": parity("execution", "eager"),
    "precision_differs": parity("matmul_precision", "bfloat16"),
    "parity_differs": parity("attention", "sdpa"),
    "batch_sizes_differ": another_batch_size,
    "scale_is_reduced": lambda p: p.plan.update(scale="smoke"),
    "random_weights": lambda p: p.plan.update(weights="random"),
    "measured_on_cpu": on_processor,
    "devices_compared_in_one_way": on_both_devices,
    "trainings_differ": lambda p: trained(p, epochs=[{**EPOCH, "validation_loss": 0.3}]),
    "trainings_missing": lambda p: trained(p, status="error", reason="RuntimeError: no memory"),
    "failed_runs": lambda p: p.fail("oom", "killed at 14 GiB", column=TORCH, run=2),
    "stale_records": stale,
    "not_measured": without_record,
    "unsupported": unsupported_cell,
    "single_run": one_run_only,
    "wide_interval": spread_runs,
    "few_steps": short,
    "foreign_load": record("load", "foreign_cpu_share", 0.05),
    "swapped": record("load", "swapped_mib", 12.0),
    "busy_before": record("load", "before", 2.5),
    "scattered_blocks": scattered,
    "overhead_bound": record("work", "flops_per_step", 1e7, run=0),
    "plausibility_not_tested": record("work", "flops_per_step", None, run=0),
    "not_steady": slowed,
    "steady_state_not_tested": few_blocks,
    "legacy_differs": legacy,
    "fixed_cost_dominates": slow_fixed_probe,
    "parameters_differ": record("work", "trainable_parameters", 5, run=0),
    "framework_warnings": lambda p: p.change(lambda r: r["warnings"].append("careful"), TORCH),
    "session_drifted": lambda p: p.canaries[1].update(python_loop_ms=52.0),
    "drift_unknown": lambda p: p.canaries.__setitem__(2, None),
    "several_nodes": record("session", "node", "9f8e7d6c", column="", run=2),
    "rounds_lost": record("session", "id", "0" * 12),
    "neighbours_disturb": slower_beside_neighbours,
    "neighbours_unknown": record("session", "neighbours", 1, column="", run=0),
    "not_monitored": lambda p: p.change(lambda r: r.update(monitor=None), TORCH, run=2),
    "throttled": record("monitor", "throttled", 3),
    "clocks_changed": record("monitor", "frequency_mhz", clock(2000, 3000, 3000)),
    "clocks_differ": record("monitor", "frequency_mhz", clock(2500, 2500, 2500)),
    "swapped_while_timed": record("monitor", "swapped_mib", 1.0),
    "busy_while_timed": record("monitor", "load_max", 4.5),
    "device_shared": record("monitor", "gpu", gpu_readings(foreign_processes=1)),
    "not_self_tested": lambda p: setattr(p, "self_test", None),
    "harness_error": lambda p: p.self_test["known_steps"][1].update(measured_ms=20.2),
    "same_cell_differs": lambda p: p.self_test["same_cell"].update(
        a_ms={"1": 10.5, "2": 10.6, "3": 10.5}
    ),
    "monitor_costs": lambda p: p.self_test["monitor"].update(on_ms=[5.1, 5.1]),
    "restarted_runs": lambda p: p.change(lambda r: r.update(restarted=2), TORCH, run=2),
    "extended_runs": lambda p: p.change(lambda r: r["timing"].update(extended=True), TORCH, run=2),
    "observer_effect": lambda p: p.change(
        lambda r: r["timing"].update(synchronised_ns=[int(1.06 * step_ns(r))]), TORCH
    ),
    "host_overhead_high": lambda p: p.change(lambda r: overhead(r, after={"share": 0.5}), TORCH),
    "other_operations": lambda p: p.change(
        lambda r: overhead(r, before=profile(30.0, operations=HALF_KNOWN)), TORCH
    ),
    "energy_counters_differ": two_counters,
    "feeding_differs": fed_differently,
    "peaks_counted_differently": counted_differently,
    "close_call": nearly_as_fast,
    "several_machines": record("machine", "id", "m2"),
    "thread_policies_differ": record("threads", "requested", 1),
    "deployments_differ": record("environment", "method", "conda"),
    "static_padding": padded,
    "variables_set": record("environment", "variables", {"XLA_FLAGS": "--x"}, column="", run=0),
    "own_interpreter": record("environment", "method", "interpreter", column="", run=0),
}
