# Millistep: how many milliseconds one step takes, on every framework.
#
# The words of the paths are the words of the configuration and of the table:
#   results/plan.json                                  every cell and run that is asked for
#   results/machine.json                               what the machine is
#   results/environments/<stack>/<accelerator>/<name>.json   what an environment really holds
#   results/records/<scale>/<model>/<task>-b<batch>/<column>/run<k>.json
#   results/canaries/<scale>/<accelerator>/<k>.json    fixed work after round k, 0 before all
#   results/self_test/<scale>/...                      what results/self_test.json is made of
#   results/{table,published,effects,runs,break_even,caveats}.*   pure functions of plan and records
#   results/figures/<figure>.{svg,pdf,png}
#   results/report.html                                one self-contained file
#   results/millistep-<scale>-<accelerator>.zip        all of it, to be cited: snakemake archive
#   results/millistep-bundle-<scale>-<accelerator>.zip to measure elsewhere: snakemake bundle
#   results/elsewhere.json                             says that it was; then it is only drawn
#   results/studies/<name>/...                         the same for a study of config/studies
from snakemake.utils import min_version

min_version("9.19")


include: "workflow/rules/common.smk"
include: "workflow/rules/plan.smk"
include: "workflow/rules/bundle.smk"


if not ELSEWHERE:

    include: "workflow/rules/machine.smk"
    include: "workflow/rules/environments.smk"
    include: "workflow/rules/canaries.smk"
    include: "workflow/rules/measure.smk"
    include: "workflow/rules/self_test.smk"


include: "workflow/rules/analyse.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/archive.smk"


rule all:
    """Everything: the report and what it is made of."""
    default_target: True
    input:
        to_draw(environment.marker for environment in PLAN.environments),
        CONTEXT,
        f"{RESULTS}/report.html",
        collect(f"{RESULTS}/runs.{{form}}", form=["csv", "parquet"]),
        f"{RESULTS}/caveats.json",
        collect(f"{RESULTS}/table.{{form}}", form=TABLE_FORMS),


onsuccess:
    show_results()
