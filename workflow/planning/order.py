"""In which order a plan's jobs are done: blocks as drawn, deployments as they are needed."""

from __future__ import annotations

from functools import cached_property

from planning.cells import Environment


class Order:
    """Of one plan."""

    def __init__(self, plan):
        self._plan = plan

    @cached_property
    def steps(self) -> list[tuple[str, list[str]]]:
        """What is measured one after the other: a name, and the files that its jobs write.

        The known steps follow the first round: what they say holds for all runs, and the first
        number need not wait for them.
        """
        known_steps = self._plan.controls.known_steps.path
        steps = [(block.number, block.done, block.files) for block in self._plan.blocks]
        first = [(done, files) for number, done, files in steps if number == 1]
        later = [(done, files) for number, done, files in steps if number > 1]
        return [*first, (known_steps, [known_steps]), *later]

    @cached_property
    def priorities(self) -> dict[str, int]:
        """Of the jobs that write these files, or a whole block: the first has the highest.

        Between two steps there is room for deployments.
        """
        found, priority = {}, 0
        for name, files in reversed(self.steps):
            priority += 2
            for path in reversed(files):
                priority += 1
                found[path] = priority
            found[name] = priority
        return found

    @cached_property
    def _first_used(self) -> dict[Environment, int]:
        """The priority of the last job of the first step that measures in an environment."""
        plan, found = self._plan, {}
        for block in plan.blocks:
            columns = [plan.controls.columns[kind] for kind in block.accelerators]
            last = self.priorities[block.files[-1]]
            for column in [*columns, *(run.column for run in block.runs)]:
                found.setdefault(plan.environment_of(column), last)
        known_steps = plan.controls.known_steps.path
        return {plan.controls.environment(): self.priorities[known_steps]} | found

    def of_deployment(self, environment: Environment) -> int:
        """Its priority: just below that of the first block that is measured in it, which deploys
        what it lacks, so that the first number waits for its own environment alone.
        """
        return self._first_used[environment] - 1

    @property
    def of_analysis(self) -> int:
        """Priority of deploying what draws: after the first block in each environment, before the
        others.
        """
        return min(self._first_used.values()) - 2

    @cached_property
    def deployments(self) -> list[Environment]:
        """The environments, as they are first needed."""
        return sorted(self._plan.environments, key=self.of_deployment, reverse=True)

    def place(self, environment: Environment | None = None) -> str:
        """Count a deployment among all for the user, as ``2 of 6``; without one that of the
        analysis, the last.
        """
        last = len(self.deployments) + 1
        return f"{self.deployments.index(environment) + 1 if environment else last} of {last}"
