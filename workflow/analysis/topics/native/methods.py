"""How operations in several ways were timed and compared, for the methods text."""

from analysis.data import Data
from analysis.formats.text import listed, percent, spread
from analysis.statistics.intervals import MARGIN
from analysis.topics.native.compute import ways
from analysis.topics.native.ways import NATIVE


def methods(data: Data) -> list[str]:
    """Return a paragraph; none where no operation was measured in a native way."""
    if NATIVE not in set(ways(data)["best"]):
        return []
    found = [record.operation for record in data.results.records if record.operation]
    names = listed(sorted({operation.name for operation in found}))
    builds = [operation.build for operation in found if operation.build]
    compilers = listed(sorted({build.compiler for build in builds}))
    built = f" Native code was built from source in each run ({compilers})." if builds else ""
    calls = spread(len(operation.alone_ns) for operation in found if operation.alone_ns)
    return [
        f"Models are built around an operation ({names}) that is written in several ways. After "
        f"the timed steps it was timed alone: the median of {calls} calls, each waited for, with "
        "its gradient where the task trains; its share of a step is that times its uses, over the "
        f"step of the same run.{built} Results of every way were compared with a reference, and "
        "the losses of its first steps with those of the framework's own way; a way that differs "
        "by more than rounding has no time. Native code is said to pay where one of its ways is "
        f"more than {percent(MARGIN)} faster in the whole step than each way of the same "
        "framework, compiled or not, by 95 % intervals of ratios paired by round, corrected for "
        "the number of native ways (Bonferroni)."
    ]
