# What all rules share: the plan, and which interpreter a rule without an environment uses.
import json
import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from environments import definition_sha256
from planning.config import ConfigError
from planning.plan import Plan
from planning.sources import content_digest

# Rules without an environment of their own run on the interpreter that runs Snakemake.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

try:
    PLAN = Plan(config, definition_sha256, envs=Path("envs"))
except ConfigError as error:
    sys.exit(f"millistep: configuration: {error}")

USE_CONDA = "conda" in {str(m) for m in workflow.deployment_settings.deployment_method}

# The analysis is redone when its own code, texts or environment change.
ANALYSIS = "-".join(
    (
        content_digest("workflow/analysis", "workflow/schemas", "reference", "report"),
        definition_sha256(Path("envs/analysis.yaml")),
    )
)
TABLE_FORMS = ["md", "csv", "tex"]
