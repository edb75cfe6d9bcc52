"""Values of PyTorch's tensors that steer the host are right, and asking for them waits."""

import json

import pytest

from .conftest import completed
from .machine import Machine

PROGRAM = """
import json, os, time, torch
x = torch.arange(10, device="cuda")
unfinished = torch.ones(4, dtype=torch.long, device="cuda")
done = torch.full((4,), True, device="cuda")
changed = torch.zeros(5, dtype=torch.int64, device="cuda")
changed[2] = 7
changed += 1
numbers = torch.full((2,), -100, device="cuda")
floats = torch.ones(3, device="cuda")
old = torch.full((64,), 2**40, device="cuda")
del old  # what a place is written to held this
places = torch.ones(64, 5, device="cuda").argmax(dim=-1)
found = {
    "arithmetic": ((x + 1) * 2).tolist(),
    "sum": (x + 1).sum().item(),
    "all": [(x > 4).all().item(), (x > -1).all().item()],
    "finished": [(u.max() == 0).item() for u in (unfinished, unfinished & ~done)],
    "where": torch.where(x > 3, x, -1).tolist(),
    "nonzero": (x == 5).nonzero().tolist(),
    "in place": changed.tolist(),
    "chosen": changed[changed > 3].tolist(),
    "joined": torch.cat([x[:2], x[8:]]).tolist(),
    "cast": x.to(torch.int32)[3].item(),
    "a loss": numbers.view(torch.float32)[0].item(),  # bits of which no float is made
    "places": [sorted(set(places.tolist())), x.argmax().item()],
    "types": [str(each.dtype) for each in (floats + 1, floats.half() + 1.5, x * 0.5, x[0] + 1)],
}
began = time.perf_counter()
for _ in range(50):
    floats = floats * 2
float(floats[0])
found["read_ms"] = 1e3 * (time.perf_counter() - began)
floats.log1p_()  # an hour of the device: were it waited for, nothing would be printed
found["at work"] = not torch.cuda.current_stream().query()
print(json.dumps(found), flush=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def found(pytorch, tmp_path_factory):
    interpreter, libraries = pytorch
    machine = Machine(tmp_path_factory.mktemp("machine"), libraries).set(
        kernel_us=20_000, kernel_us_of={"*log1p*": 3600e6}
    )
    done = completed([interpreter, "-c", PROGRAM], machine, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("arithmetic", [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]),
        ("sum", 55),
        ("all", [False, True]),
        ("finished", [False, True]),
        ("where", [-1, -1, -1, -1, 4, 5, 6, 7, 8, 9]),
        ("nonzero", [[5]]),
        ("in place", [1, 1, 8, 1, 1]),
        ("chosen", [8]),
        ("joined", [0, 1, 8, 9]),
        ("cast", 3),
        ("a loss", 0.0),
        ("places", [[0], 9]),
        ("types", ["torch.float32", "torch.float16", "torch.float32", "torch.int64"]),
    ],
)
def test_small_integers_are_computed(found, what, expected):
    assert found[what] == expected


def test_kernels_are_issued_at_once_and_a_value_waits_for_them(found):
    assert found["read_ms"] >= 1000  # 50 kernels of 20 ms
    assert found["at work"]
