"""Compiled code kept on disk: a cell's first run finds none, its later ones do."""

import shutil
from collections import Counter
from types import SimpleNamespace

import pytest

from millistep.measure.frameworks import Cell, pytorch_compiled
from millistep.measure.frameworks.keras3_jax import Framework
from millistep.supervise import machine

from ..shared import put


@pytest.fixture
def found(run, tmp_path):
    """``found(number)``: state of the compiler's cache in a run of the cell."""

    def of(number, **changes):
        changes = {"run": number, "probes": [], "extras": [], **changes}
        caches = tmp_path / "caches"
        record = run(changes=changes, caches=caches, keeps_compiled=True, step_ms=0.1)
        assert record["status"] == "ok"
        return record["timing"]["compile_cache"]

    return of


def test_the_first_run_is_cold_and_the_next_are_warm_whatever_is_there(found):
    assert [found(number) for number in (1, 2, 3, 1)] == ["cold", "warm", "warm", "cold"]


def test_what_another_identity_left_is_not_used_and_goes(found, tmp_path):
    assert [found(1), found(2, sources="1" * 64)] == ["cold", "cold"]
    assert [found(2), found(3, seed=3)] == ["cold", "warm"]
    assert len(list((tmp_path / "caches").iterdir())) == 1


def test_what_another_machine_compiled_is_not_used(found, monkeypatch):
    """Nodes of a cluster share the results, and Inductor compiles for the processor it finds."""
    assert found(1) == "cold"
    monkeypatch.setattr(machine, "cpu_model", lambda: "another processor")
    assert [found(2), found(3)] == ["cold", "warm"]


def test_caches_that_another_run_is_copying_are_kept(found, tmp_path):
    assert found(1) == "cold"
    partial = put(tmp_path / "caches/.partial-of-another/jax/program", "half of it")
    assert [found(1), found(2)] == ["cold", "warm"]
    assert partial.exists()


def test_without_what_the_first_run_left_a_later_one_is_cold_and_leaves_its_own(found, tmp_path):
    assert found(1) == "cold"
    shutil.rmtree(tmp_path / "caches")
    assert [found(3), found(2)] == ["cold", "warm"]


@pytest.mark.parametrize("part", ["inductor", "triton"])
def test_half_of_it_is_as_good_as_none(found, tmp_path, part):
    assert found(1) == "cold"
    (place,) = (tmp_path / "caches").iterdir()
    shutil.rmtree(place / part)
    assert found(2) == "cold"


def test_what_cannot_be_written_leaves_runs_cold(found, tmp_path):
    (tmp_path / "caches").write_text("a file in the place of the folder")
    assert [found(1), found(2)] == ["cold", "cold"]


@pytest.mark.parametrize(
    ("looked", "hits", "folder", "state"),
    [
        (3, 3, "/scratch/jax", "warm"),
        (3, 2, "/scratch/jax", "cold"),  # also where nothing is written: a step with callbacks
        (0, 0, "/scratch/jax", None),
        (3, 0, None, None),  # on a GPU
    ],
)
def test_jax_is_warm_if_it_found_every_program_that_it_looked_for(looked, hits, folder, state):
    counts = {"compile_requests_use_cache": looked, "cache_hits": hits}
    events = Counter({f"compilation_cache/{name}": count for name, count in counts.items()})
    jax = SimpleNamespace(config=SimpleNamespace(jax_compilation_cache_dir=folder))
    assert Framework.compile_cache(SimpleNamespace(jax=jax, _events=events)) == state


@pytest.mark.parametrize(("accelerator", "asks"), [("cpu", ["the compiler"]), ("cuda", [])])
def test_what_inductor_asks_of_the_compiler_is_part_of_the_first_step(accelerator, asks):
    """It is neither in the import nor in what is built: it is known after the clock has started."""
    told = []
    names = ("m", "predict", 4, "f", "f", accelerator, "default")
    cell = Cell(*names, {}, "random", seed=1, threads=1)
    framework = pytorch_compiled.Framework(cell)
    framework._know_instruction_sets = lambda: told.append("the compiler")
    framework.models = SimpleNamespace(
        LOOPS={"predict": lambda model, cell, size, tick: told.append(("step", tick()))}
    )
    framework.step_model = None
    clock = SimpleNamespace(start=lambda: told.append("start"), tick=lambda: True)
    framework.run(clock)
    assert told == ["start", *asks, ("step", True)]
