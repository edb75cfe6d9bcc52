"""For each rule of a caveat one change of a table without caveats that its caveat speaks of."""

from quiet_table import JAX, TORCH, on_processor, one_run_only, parity, record
from record_changes import profile, stretch
from results_factory import identity
from time_changes import padded, scale, scattered, slow_fixed_probe, slowed, slower_later, step_ns

# Idle 10 % of a step, products 74 %, and 16 % that no rule knows.
HALF_KNOWN = {"aten::mm": (0.74, 1), "nobody::knows": (0.16, 1)}
EPOCH = {"steps_s": 1.0, "validation_s": 0.5, "validation_loss": 0.15, "validation_right": 250}


def trained(project, **changes):
    """Both columns trained for an epoch, one of them otherwise."""
    project.plan["training"] = {"data": "digits", "epochs": 1}
    same = {"data": "digits", "sha256": "ab" * 32, "status": "ok", "reason": ""}
    same |= {"images": 1520, "validation_images": 264, "epochs": [EPOCH]}
    for column, training in ((JAX, same), (TORCH, {**same, **changes})):
        project.change(lambda r, t=training: r.update(training=t), column, run=1)


def clock(low, middle, high):
    return {"min": float(low), "median": float(middle), "max": float(high)}


def gpu_readings(**more):
    """A GPU that nothing disturbed."""
    steady = clock(1400, 1400, 1400)
    names = ("sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "utilization_percent")
    return dict.fromkeys(names, steady) | {"throttle_reasons": [], "foreign_processes": 0} | more


def updated_differently(project):
    for column, way in ((JAX, "in the step's program"), (TORCH, "for-loop, eager")):
        project.change(lambda r, w=way: r["parity"].update(optimizer_update=w), column)


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


def unsupported_cell(project):
    cell = project.plan["cells"][1]
    for run in cell["runs"]:
        del project.records[run["record"]]
    cell.update(unsupported="does not exist there", runs=[])


def spread_runs(project):
    for run, factor in ((1, 1.0), (2, 1.15), (3, 0.9)):
        project.change(lambda r, f=factor: scale(r, f), column=TORCH, run=run)


def timed_in(project, steps, number=1, run=0):
    """In so many blocks of so many steps."""

    def change(r):
        block = {"steps": steps, "elapsed_ns": steps * step_ns(r)}
        r["timing"].update(blocks=[block] * number)

    project.change(change, TORCH, run=run)


CONDITIONS = {
    # one column is said to have the page's versions; its record names others
    "not_the_pages_version": lambda p: p.plan["columns"][1]["settings"].update(stack="2024-03"),
    "execution_differs": parity(execution="eager"),
    "xla_as_published": parity(jit_compile=True, jit_compile_auto=False),
    "parts_left_eager": parity(left_eager="AdamW"),
    "graph_broken": parity(graph_breaks=2),
    "convolutions_not_tuned": lambda p: p.change(
        lambda r: r["parity"].update(
            convolution_precision="float32",
            **({"cudnn_benchmark": False} if r["cell"]["column"] == TORCH else {}),
        )
    ),
    "optimizer_update_differs": updated_differently,
    "precision_differs": parity(matmul_precision="bfloat16"),
    "parity_differs": parity(attention="sdpa"),
    "scale_is_reduced": lambda p: p.plan.update(scale="smoke"),
    "random_weights": lambda p: p.plan.update(weights="random"),
    "measured_on_cpu": on_processor,
    "trainings_differ": lambda p: trained(p, epochs=[{**EPOCH, "validation_loss": 0.3}]),
    "trainings_missing": lambda p: trained(p, status="error", reason="RuntimeError: no memory"),
    "failed_runs": lambda p: p.fail("oom", "killed at 14 GiB", column=TORCH, run=2),
    "stale_records": lambda p: p.change(
        lambda r: r.update(identity=identity(TORCH, "fit", 2, x=1)), TORCH, run=2
    ),
    "not_measured": lambda p: p.records.pop(p.plan["cells"][1]["runs"][2]["record"]),
    "unsupported": unsupported_cell,
    "single_run": one_run_only,
    "wide_interval": spread_runs,
    "few_steps": lambda p: timed_in(p, 2, 8),
    "foreign_load": record("load", foreign_cpu_share=0.05),
    "swapped": record("load", swapped_mib=12.0),
    "much_in_the_kernel": record("load", system_cpu_share=0.12),
    "busy_before": record("load", before=2.5),
    "scattered_blocks": scattered,
    "overhead_bound": record("work", run=0, flops_per_step=1e7),
    "plausibility_not_tested": record("work", run=0, flops_per_step=None),
    "not_steady": slowed,
    "inconsistent_runs": lambda p: p.change(slower_later, TORCH, run=2),
    "warm_up_left_out": lambda p: p.change(lambda r: stretch(r, 1.04, slice(2)), TORCH),
    "steady_state_not_tested": lambda p: timed_in(p, 100, run=2),
    "legacy_differs": lambda p: p.change(
        lambda r: r["timing"]["legacy"].update(step_ms=1.0), TORCH
    ),
    "fixed_cost_dominates": slow_fixed_probe,
    "parameters_differ": record("work", run=0, trainable_parameters=5),
    "framework_warnings": lambda p: p.change(lambda r: r["warnings"].append("careful"), TORCH),
    "session_drifted": lambda p: p.canaries[1].update(python_loop_ms=52.0),
    "drift_unknown": lambda p: p.canaries.__setitem__(2, None),
    "several_nodes": record("session", "", node="9f8e7d6c"),
    "rounds_lost": record("session", id="0" * 12),
    "busy_neighbours": record("session", neighbours=1),
    "not_monitored": lambda p: p.change(lambda r: r.update(monitor=None), TORCH, run=2),
    "throttled": record("monitor", throttled=3),
    "clocks_changed": record("monitor", frequency_mhz=clock(2000, 3000, 3000)),
    "clocks_differ": record("monitor", frequency_mhz=clock(2500, 2500, 2500)),
    "swapped_while_timed": record("monitor", swapped_mib=1.0),
    "busy_while_timed": record("monitor", load_max=4.5),
    "device_shared": lambda p: p.change(
        lambda r: r["monitor"].update(gpu=gpu_readings(foreign_processes=1)), TORCH
    ),
    "not_self_tested": lambda p: setattr(p, "self_test", None),
    "harness_error": lambda p: p.self_test["known_steps"][1].update(
        measured_ms=20.2, runs_ms=[20.2, 20.21, 20.19]
    ),
    "harness_uncertain": lambda p: p.self_test["known_steps"][0].update(
        measured_ms=2.0015, runs_ms=[2.001, 2.0015, 2.0773, 2.0013, 2.0062]
    ),
    "same_cell_differs": lambda p: p.self_test["same_cell"].update(
        a_ms={"1": 10.5, "2": 10.6, "3": 10.5}
    ),
    "monitor_costs": lambda p: p.self_test["monitor"].update(on_ms=[5.1, 5.1]),
    "observer_effect": lambda p: p.change(
        lambda r: r["timing"].update(synchronised_ns=[int(1.06 * step_ns(r))] * 5), TORCH
    ),
    "host_overhead_high": lambda p: p.change(lambda r: overhead(r, after={"share": 0.5}), TORCH),
    "other_operations": lambda p: p.change(
        # of the step as it was timed: else nothing computes in a little more or less of it
        lambda r: overhead(r, before=profile(step_ns(r) / 1e6, operations=HALF_KNOWN)),
        TORCH,
    ),
    "energy_counters_differ": two_counters,
    "feeding_differs": fed_differently,
    "peaks_counted_differently": counted_differently,
    "several_machines": record("machine", id="m2"),
    "thread_policies_differ": record("threads", requested=1),
    "deployments_differ": record("environment", method="conda"),
    "static_padding": padded,
    "variables_set": record("environment", "", 0, variables={"XLA_FLAGS": "--x"}),
    "own_interpreter": record("environment", "", 0, method="interpreter"),
}
