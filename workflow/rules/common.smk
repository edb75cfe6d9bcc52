# The parts that all rules share: configuration, plan, paths, and the commands of programs.
import json
import re

from contract import report_contents
from planning import commands
from planning.commands import IN_ENVIRONMENT, verbatim
from planning.config import (
    lay_over,
    on_the_command_line,
    or_one_line,
    read_configuration,
)
from planning.handlers import Handlers
from planning.jobs import Jobs
from planning.start import Start
from supervise.sources import content_digest

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
HANDLERS = Handlers(START, JOBS)
COMMANDS = commands.Commands(START)
program, timed = COMMANDS.program, COMMANDS.timed

ROW = "{scale}/{model}/{task}-b{batch}"
# The inputs of the tables. If a block is one job, that job makes its records.
RECORDS = [] if START.beside else START.to_draw(PLAN.records)
BLOCKS = START.to_draw(each.path for each in PLAN.blocks)
SESSIONS = BLOCKS if START.elsewhere else BLOCKS and [f"{RESULTS}/sessions.json"]
SELF_TEST = START.to_draw([PLAN.self_test])
# Keys are sorted, as their order means nothing; that of models, tasks and columns is the table's.
# Without the keys about later use of results, which do not change what is measured.
ASKED_LATER = ("atlas", "answer")
WHOLE_CONFIG = verbatim(
    json.dumps(
        {key: PLAN.config[key] for key in sorted(PLAN.config) if key not in ASKED_LATER}
    )
)
# What draws and writes takes so much of the machine that it is never beside something that is timed,
# not beside the only block of several slots either.
UNTIMED = 101 - 100 // PLAN.slots
# Only the main Snakemake retries: a job on a node starts another one.
TRIES_AGAIN = 1 if workflow.is_main_process else 0
