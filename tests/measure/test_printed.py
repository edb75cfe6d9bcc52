"""The part of a log that is kept, and its warnings, as frameworks really print them."""

from contract.printed import MOST, warnings
from supervise import logs

LOG = """\
WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
I0000 00:00:1795268492.186846   17611 port.cc:153] oneDNN custom operations are on.
W0000 00:00:1795267671.826059   20556 random_ops.cc:62] Warning: seeds are ignored
W0000 00:00:1795267671.926059   20556 random_ops.cc:62] Warning: seeds are ignored
E0000 00:00:1795267672.0 5 slow_operation_alarm.cc:73] Very slow compile?
[W1120 10:00:00.123456789 Context.cpp:80] Warning: TF32 is on (function operator())
W1120 10:00:01.654000 91 site-packages/torch/_dynamo/convert_frame.py:1016] [0/8] recompile limit
ERROR:absl:No module named 'promise'
1/100 steps W0000 in the middle of a line
"""


def test_each_place_that_warned_is_named_once():
    assert warnings(LOG.splitlines()) == [
        "random_ops.cc:62: Warning: seeds are ignored",
        "slow_operation_alarm.cc:73: Very slow compile?",
        "Context.cpp:80: Warning: TF32 is on (function operator())",
        "convert_frame.py:1016: [0/8] recompile limit",
        "absl: No module named 'promise'",
    ]


def test_a_flood_is_cut_and_a_missing_log_says_nothing(tmp_path):
    log = tmp_path / "run1.log"
    log.write_text("".join(f"W0000 00:00:1.5 1 a.cc:{n}] {'flood ' * 100}\n" for n in range(500)))
    lines = logs.printed(log)
    assert len(lines) == logs.PRINTED_LINES
    assert {len(line) for line in lines[:-1]} == {logs.PRINTED_LENGTH}
    assert lines[-1].startswith("[millistep: these are the first lines of ")
    assert len(warnings(lines)) == MOST
    assert logs.printed(tmp_path / "none.log") == []
