"""Tables of one net in several sizes on a processor and on a GPU, both made up."""

from results_factory import Project, make_plan
from time_changes import takes

TORCH = "keras3-torch"
ON_CPU, ON_GPU = f"{TORCH}+cpu", f"{TORCH}+cuda"
NET = "mnist_dense"
SIZES = {f"{NET}_w75": 61_035, NET: 266_610, f"{NET}_w1200": 1_426_410, f"{NET}_w12300": 60_130_610}
SCATTER = {1: 0.99, 2: 1.0, 3: 1.01}


def crossing_at(parameters):
    """ms of a step on each device by size: the GPU takes 2 ms before it computes at all."""

    def step_ms(column, size):
        slope = 4.0 / parameters  # of the processor, ms per parameter; the GPU's is half of it
        return 1.0 + slope * size if column == ON_CPU else 3.0 + slope / 2 * size

    return step_ms


def sized_project(folder, step_ms, sizes=SIZES, runs=3, scatter=SCATTER, batch_sizes=(32,)):
    """step_ms: from column and parameters. scatter: factor of each run on the processor."""
    rows = tuple((model, "fit", batch, None) for model in sizes for batch in batch_sizes)
    plan = make_plan(runs=runs, rows=rows, columns=(ON_CPU, ON_GPU), accelerator="cuda")
    for model, about in plan["models"].items():
        about["title"] = "MNIST dense" + model.removeprefix(NET).replace("_", " ")
        about["full_size"] = True
        if model != NET:
            about["variant_of"] = NET
    for row in plan["rows"]:
        row["title"] = f"{plan['models'][row['model']]['title']} fit"
    project = Project(folder, plan)
    for record in project.records.values():
        _measure(record, step_ms, sizes, scatter)
    return project


def _measure(record, step_ms, sizes, scatter):
    cell = record["cell"]
    parameters = sizes[cell["model"]]
    ms = step_ms(cell["column"], parameters)
    on_gpu = cell["accelerator"] == "cuda"
    takes(record, ms if on_gpu else ms * scatter.get(cell["run"], 1.0))
    record["work"].update(
        parameters=parameters, trainable_parameters=parameters, flops_per_step=1e5
    )
    record["machine"]["accelerator_name"] = "NVIDIA Example" if on_gpu else None
    profile = {"share": 0.2, "method": "profiler", "steps": 3}
    if on_gpu:
        kernels = {"name": "gemm", "ms": 0.4 * ms, "count": 12.0, "launched": 12.0}
        profile |= {"share": 0.6, "step_ms": ms, "operations": [kernels]}
    record["host_overhead"] = profile
