# What all rules share: the configuration, the plan, where things are, and how programs are called.
import json
import re

from planning import commands, trainings
from planning.commands import IN_ENVIRONMENT, attempt_no, verbatim
from planning.config import (
    lay_over,
    on_the_command_line,
    or_one_line,
    read_configuration,
    read_yaml,
)
from planning.handlers import Handlers
from planning.jobs import Jobs
from planning.start import Start
from supervise.sources import content_digest

# A configuration is complete in itself, whether --configfile names it or a workflow of which this
# one is a module. Snakemake would merge it into the default one, mapping by mapping, and add the
# models of one to those of the other.
CONFIG = "config/config.yaml"
if not workflow.modifier.skip_configfile:
    if not workflow.configfiles:
        or_one_line(read_configuration, CONFIG)

        configfile: CONFIG

    lay_over(config, on_the_command_line(workflow.config_settings.config_args))


START = Start(workflow, config, SOURCES)
PLAN, RESULTS = START.plan, START.results
JOBS = Jobs(START)
HANDLERS = Handlers(START, JOBS)
COMMANDS = commands.Commands(START)
program, timed, conda = COMMANDS.program, COMMANDS.timed, COMMANDS.conda

ROW = "{scale}/{model}/{task}-b{batch}"
# What the tables are made of. Where a block is one job, its records are that job's affair.
RECORDS = [] if START.beside else START.to_draw(PLAN.records)
BLOCKS = START.to_draw(each.path for each in PLAN.blocks)
SESSIONS = BLOCKS if START.elsewhere else BLOCKS and [f"{RESULTS}/sessions.json"]
SELF_TEST = START.to_draw([PLAN.self_test])
# The order of the keys is nothing; that of models, tasks and columns is the table's. What is asked
# of results later is nothing to what is measured.
ASKED_LATER = ("atlas", "answer")
WHOLE_CONFIG = verbatim(
    json.dumps(
        {key: PLAN.config[key] for key in sorted(PLAN.config) if key not in ASKED_LATER}
    )
)
# A job on a node starts Snakemake once more.
TRIES_AGAIN = 1 if workflow.is_main_process else 0
