"""Checks that this machine can measure a plan, made before anything is installed."""

from __future__ import annotations

from millistep.deploy.environments import users_interpreter
from millistep.deploy.virtual_environments import EnvironmentProblem
from millistep.planning.config import ConfigError
from millistep.planning.plan import Plan
from millistep.supervise import processors


def check_processors(plan: Plan) -> None:
    """Raise :class:`ConfigError` if a run has more threads than CPUs that it may use."""
    if not plan.here:
        return
    here = len(processors.available())
    quota = processors.within_the_quota(here)
    asked = {f"columns.{place}.threads": one.threads for place, one in enumerate(plan.columns)}
    for where, threads in {"threads": plan.threads, **asked}.items():
        if threads > here:
            raise ConfigError(
                f"{where}: {threads} is more than the {here} CPUs here; allowed are 1 to {here}"
            )
        if threads > quota:
            raise ConfigError(
                f"{where}: {threads} is more than the CPU time of this container's quota, which "
                f"would stop the run in every period; allowed are 1 to {quota}"
            )


def check_interpreters(plan: Plan) -> None:
    """Raise :class:`ConfigError` if an interpreter of the user's is not here."""
    for column in plan.columns if plan.here else []:
        if column.interpreter:
            try:
                users_interpreter(column.interpreter)
            except EnvironmentProblem as problem:
                raise ConfigError(f"interpreter of {column.name}: {problem}") from None


def check_device(plan: Plan) -> None:
    """Raise :class:`ConfigError` if no column, or no cell of any column, can be measured here."""
    reasons = [plan.barred.get(column) for column in plan.columns]
    if all(reasons):
        raise ConfigError(
            f"accelerator: {reasons[0]}, so none of the columns can be measured; "
            "allowed here are auto, cpu"
        )
    if not plan.runs:
        reason = next(iter(plan.unsupported.values()))
        raise ConfigError(f"columns: none of the cells can be measured, the first since {reason}")
