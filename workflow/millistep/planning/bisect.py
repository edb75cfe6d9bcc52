"""Find the commit of a package that made it slower, by regression checks of the commits between.

Status 0: the commit, or the few that remain, is printed; 2: there is no answer, for the reason that
is printed; 3: the last revision is not shown to be slower than the first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from millistep.planning.answer import Asked, Options, add_measurement, git, only_one, or_no_answer
from millistep.planning.config import Problem

FINE = 0  # the status of an answer


def suspects(number: int, slower: Callable[[int], bool | None]) -> range:
    """Return the commits of which one is the first slow one, usually one commit.

    slower: whether commit n is slower than the good one; None if undecided. The last one is slower.
    """
    good, bad, undecided = -1, number - 1, set()
    while between := [n for n in range(good + 1, bad) if n not in undecided]:
        middle = min(between, key=lambda n: abs(n - (good + bad) / 2))
        found = slower(middle)
        if found is None:
            undecided.add(middle)
        elif found:
            bad = middle
        else:
            good = middle
    return range(good + 1, bad + 1)


def main() -> int:
    return or_no_answer(lambda: _bisect(_options().parse_args()))


def _options() -> argparse.ArgumentParser:
    parser = Options("millistep bisect", description=__doc__.partition("\n")[0])
    parser.add_argument("--clone", type=Path, required=True, help="clone of the package")
    parser.add_argument("--good", required=True, help="revision that is fast")
    parser.add_argument("--bad", default="HEAD", help="later revision that is slow; default: HEAD")
    add_measurement(parser)
    return parser


def _bisect(options: argparse.Namespace) -> int:
    def in_clone(*command: str) -> str:
        return git("--clone", options.clone, *command)

    between = ("--first-parent", "--end-of-options", f"{options.good}..{options.bad}")
    commits = in_clone("rev-list", "--reverse", *between).split()
    if not commits:
        raise Problem(f"--good: no commit between {options.good} and {options.bad}")
    good = in_clone("rev-parse", "--verify", "--end-of-options", f"{options.good}^{{commit}}")

    def slower(number: int) -> bool | None:
        revision = commits[number]
        base, patch = f"{options.clone}@{good}", [f"{options.clone}@{revision}"]
        asked = argparse.Namespace(**vars(options), base=base, patch=patch, report="")
        try:
            found = Asked(asked).answered()
            answer = True if found["slower"] else False if found["status"] == FINE else None
            words = {True: "slower", False: "not slower", None: "inconclusive"}[answer]
        except Problem as problem:  # such as a commit whose package cannot be built
            if number == len(commits) - 1:
                raise
            answer, words = None, f"inconclusive: {problem}"
        print(f"{in_clone('log', '-1', '--format=%h %s', revision)}: {words}", flush=True)
        return answer

    with only_one():
        if not slower(len(commits) - 1):
            print(f"{options.bad} is not shown to be slower than {options.good}")
            return 3
        found = [commits[n] for n in suspects(len(commits), slower)]
    print("first slower commit:" if len(found) == 1 else "the first slower commit is one of:")
    for revision in found:
        print(f"  {in_clone('log', '-1', '--format=%h %s', revision)}")
    return 0
