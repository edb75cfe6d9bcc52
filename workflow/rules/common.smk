# The parts that all rules share: configuration, plan, paths, commands, and the environment of the
# analysis, which is one of its own, since Snakemake would import its pandas at every start.
import re
from millistep.planning.cluster import Submissions
from millistep.planning.commands import Commands, in_report, verbatim
from millistep.planning.config import check_readable, lay_over_command_line
from millistep.planning.jobs import Handlers, Jobs
from millistep.planning.start import Start
from millistep.supervise.sources import content_digest

# A configuration is complete in itself, whether --configfile names it or a workflow that uses this
# one as a module. Snakemake would merge it into the default one, and so add the models of both.
CONFIG = "config/config.yaml"
if not workflow.modifier.skip_configfile:
    check_readable(workflow.configfiles or [CONFIG])
    if not workflow.configfiles:

        configfile: CONFIG

    lay_over_command_line(config, workflow.config_settings.config_args)


START = Start(workflow, config, SOURCES)
PLAN, RESULTS = START.plan, START.results
JOBS = (Submissions if START.on_nodes else Jobs)(START)
COMMANDS = Commands(START)
program, logged = COMMANDS.program, COMMANDS.logged
measured, alone = COMMANDS.measured, COMMANDS.alone
analysis, render = COMMANDS.analysis, COMMANDS.render

ROW = "{scale}/{model}/{task}-b{batch}"
PLAN_FILE = f"{RESULTS}/plan.json"
ANALYSIS_ENVIRONMENT = COMMANDS.environment.marker
# On a cluster, the job of a workload and round makes its records.
RECORDS = [] if START.on_nodes else START.to_draw(PLAN.records)
SELF_TEST = START.to_draw([PLAN.self_test])
# Nothing that draws or writes runs next to a job that times something.
UNTIMED = 100
# Only the main Snakemake retries: a job on a node starts another one.
TRIES_AGAIN = 1 if workflow.is_main_process else 0


rule analysis_environment:
    """Install the environment that the analysis runs in, while no run is timed."""
    input:
        COMMANDS.lost_environment,
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=0,
    params:
        options=verbatim(COMMANDS.environment.deployment(START.use_conda)),
    shell:
        alone(program("deploy", "{params.options} --log {log}"))
