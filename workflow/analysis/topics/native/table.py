"""native.csv."""

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.topics.native.compute import GROUP, payoffs, ways
from analysis.topics.native.ways import OF_FRAMEWORK

COLUMNS = [*ROW, "operation", "framework", "column", "way", "written_as", "best", "alone_ms"]
COLUMNS += ["ms_per_step", "share", "share_ci95_low", "share_ci95_high", "most_by_share"]
COLUMNS += ["gain_alone", "gain_alone_ci95_low", "gain_alone_ci95_high", "gain_step"]
COLUMNS += ["gain_step_ci95_low", "gain_step_ci95_high", "rounds", "verdict", "beyond_share"]
COLUMNS += ["lines", "build_s", "packages", "compiler", "compile_flags", "link_flags"]
COLUMNS += ["steps_to_earn_back", "earn_back_ci95_low", "earn_back_ci95_high"]


def native(data: Data) -> pd.DataFrame:
    """Return a line per way of an operation that was measured. Gains are t(best way of the
    framework) / t(this way), paired by round; the verdict, of the whole framework, stands with its
    best native way. NA where nothing is built or compared.
    """
    every = ways(data)
    found = every[every["way"].notna()].rename(columns={"rounds_step": "rounds"})
    judged = payoffs(every)[[*GROUP, "column_native", "verdict", "beyond"]]
    judged = judged.rename(columns={"column_native": "column"}).dropna(subset="column")
    found = found.merge(judged, on=[*CELL, "framework"], how="left")
    flags = {True: "true", False: "false"}
    builds = [operation.build for operation in found["first"]]
    return found.assign(
        best=found["best"].notna().map(flags),
        most_by_share=found["most_by_share"].where(found["best"] == OF_FRAMEWORK),
        beyond_share=found["beyond"].map(flags),
        packages=[build and " ".join(build.packages) for build in builds],
        compiler=[build and build.compiler for build in builds],
        compile_flags=[build and " ".join(build.compile_flags) for build in builds],
        link_flags=[build and " ".join(build.link_flags) for build in builds],
    )[COLUMNS]
