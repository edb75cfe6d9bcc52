"""What a machine without Snakemake needs to measure a plan: its runs, and the files they use."""

from collections.abc import Iterator
from pathlib import Path

from planning.checks import CANARY_FRAMEWORKS, Checks
from planning.config import ConfigError
from planning.plan import CORE, WORKFLOW

SCHEMA = "millistep.bundle/1"
ENTRY = "workflow/bundle"  # holds what lies at the top of the zip
AT_THE_TOP = ("run_bundle.py", "README.txt")
# Everything that measures, and what it imports; not what plans or draws.
SOURCES = (
    "*.py",
    "bundle/*.py",
    "machine_card/*.py",
    "measure/**/*.py",
    "planning/__init__.py",
    "planning/resolve.py",
    "self_test/**/*.py",
)


def check_portable(plan) -> None:
    """Raise :class:`ConfigError` for a plan that is about the machine that it is made on."""
    auto = [key for key in ("scale", "accelerator", "threads") if plan.config[key] == "auto"]
    if auto:
        raise ConfigError(
            f"{', '.join(auto)}: auto is what this machine has, a bundle is for another; say it, "
            "for example with --config scale=paper accelerator=cuda threads=8"
        )
    if plan.config["interpreters"]:
        raise ConfigError(
            "interpreters: are this machine's; those of the other one are named to run_bundle.py"
        )


def document(plan) -> dict:
    """The plan as the bundle's ``bundle.json``: every timed file, in the order of the timing."""
    return {
        "schema": SCHEMA,
        "scale": plan.scale,
        "accelerator": plan.accelerator,
        "device": plan.device,
        "environment": plan.config["environment"],
        "threads": plan.threads,
        "time_limit_s": plan.time_limit_s,
        "memory_gib": plan.config["limits"].get("memory_gib", "auto"),
        "folders": [name for name, _ in _folders(plan)],
        "frameworks": {
            framework.name: {
                "environment": framework.environment,
                "definition": _name(plan.definition(framework.environment)),
                "definition_sha256": plan.environment_of(framework).definition_sha256,
            }
            for framework in plan.frameworks
        },
        "order": plan.checks.order,
        "runs": _runs(plan),
        "checks": _checks(plan),
    }


def _runs(plan) -> dict:
    """Framework and identity of each run by its file; ``again``: under its second name."""
    first = {run.record: (run, None) for run in plan.runs}
    second = {run.record: (run, plan.runs[run.position].record) for run in plan.checks.again}
    return {
        path: {"framework": run.framework, "identity": run.identity, "again": again}
        for path, (run, again) in (first | second).items()
    }


def _checks(plan) -> dict:
    """Identities of canaries and known steps by file, by framework whose library they could use.

    The preferred one first: which of them has an interpreter is found where they are run.
    """
    found = {}
    for framework in plan.frameworks:
        checks = Checks(plan, WORKFLOW, CORE)
        checks.framework = framework
        found[framework.name] = {
            check.path: check.identity for check in (checks.known_steps, *checks.canaries)
        }
    return {name: found[name] for name in CANARY_FRAMEWORKS if name in found}


def files(plan) -> dict[str, Path]:
    """Every file of the bundle but ``bundle.json``, by its name there."""
    found = {name: WORKFLOW.parent / ENTRY / name for name in AT_THE_TOP}
    for pattern in SOURCES:
        for path in WORKFLOW.glob(pattern):
            found[f"workflow/{path.relative_to(WORKFLOW).as_posix()}"] = path
    for name in {framework.environment for framework in plan.frameworks}:
        definition = plan.definition(name)
        for path in (definition, definition.with_suffix(".post-deploy.sh")):
            found[_name(path)] = path
    for name, folder in _folders(plan):
        found |= {f"{name}/{path.relative_to(folder).as_posix()}": path for path in _own(folder)}
    return found


def _name(definition: Path) -> str:
    """``envs/<accelerator>/<file>``, wherever that is here."""
    return "/".join(definition.parts[-3:])


def _folders(plan) -> list[tuple[str, Path]]:
    """The user's folders of models, under names of their own."""
    return [(f"folders/{k}", Path(folder)) for k, folder in enumerate(plan.config["folders"])]


def _own(folder: Path) -> Iterator[Path]:
    """What a model or framework of the user's consists of: plain files that are not hidden."""
    for part in ("models", "frameworks"):
        for path in sorted((folder / part).rglob("*")):
            inside = path.relative_to(folder).parts
            if path.is_file() and not any(name.startswith((".", "__pyc")) for name in inside):
                yield path
