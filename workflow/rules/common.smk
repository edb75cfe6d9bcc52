# The parts that all rules share: configuration, plan, paths, and the commands of programs.
import json
import re

from millistep.contracts.config import RegressionCheck
from millistep.planning import commands
from millistep.planning.commands import IN_ENVIRONMENT, verbatim
from millistep.planning.config import (
    lay_over,
    on_the_command_line,
    or_one_line,
    read_configuration,
)
from millistep.planning.jobs import Handlers
from millistep.planning.jobs import Jobs
from millistep.planning.start import Start
from millistep.supervise.sources import content_digest

# A configuration is complete in itself, whether --configfile names it or a workflow that uses this
# one as a module. Snakemake would merge it into the default one, mapping by mapping, and so add the
# models of one to those of the other.
CONFIG = "config/config.yaml"
if not workflow.modifier.skip_configfile:
    for path in workflow.configfiles or [CONFIG]:
        or_one_line(read_configuration, path)
    if not workflow.configfiles:

        configfile: CONFIG

    lay_over(config, on_the_command_line(workflow.config_settings.config_args))


START = Start(workflow, config, SOURCES)
PLAN, RESULTS = START.plan, START.results
JOBS = Jobs(START)
COMMANDS = commands.Commands(START)
program, timed = COMMANDS.program, COMMANDS.timed

ROW = "{scale}/{model}/{task}-b{batch}"
# On a cluster, the job of a workload and round makes its records.
RECORDS = [] if START.on_nodes else START.to_draw(PLAN.records)
SELF_TEST = START.to_draw([PLAN.self_test])
# Keys are sorted, as their order means nothing; that of models, tasks and columns is the table's.
WHOLE_CONFIG = verbatim(json.dumps(dict(sorted(PLAN.config.document().items()))))
# Nothing that draws or writes runs next to a job that times something.
UNTIMED = 100
# Only the main Snakemake retries: a job on a node starts another one.
TRIES_AGAIN = 1 if workflow.is_main_process else 0
