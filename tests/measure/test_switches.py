"""Global switches that a model's code leaves changed are among the observed settings."""

import gc
import sys
from collections import OrderedDict
from types import SimpleNamespace

import pytest

from millistep.measure import switches

from .test_observed import framework, observed


@pytest.fixture
def library(monkeypatch):
    """``library(name, **attributes)``: have a library imported that has these attributes alone."""
    monkeypatch.setattr(switches, "_before", {})

    def imported(name, **attributes):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**attributes))
        return sys.modules[name]

    return imported


def test_a_switch_that_is_left_changed_is_an_observed_setting(library):
    anomalies = [False]
    quantized = SimpleNamespace(engine="x86")
    backends = SimpleNamespace(quantized=quantized)
    library("torch", is_anomaly_enabled=lambda: anomalies[0], backends=backends)
    switches.remember()
    assert observed.parity(framework(), {"images_per_step": 4})["global_switches"] == "none"
    anomalies[0] = True
    assert switches.changed() == "torch.is_anomaly_enabled = True"
    switches.remember()  # the import of another builder: the first one has changed it all the same
    quantized.engine = "qnnpack"
    found = observed.parity(framework(), {"images_per_step": 4})["global_switches"]
    assert found == "torch.is_anomaly_enabled = True, torch.backends.quantized.engine = qnnpack"


def test_switches_of_python_are_looked_at_too(library):
    switches.remember()
    gc.disable()
    try:
        assert switches.changed() == "gc.isenabled = False"
    finally:
        gc.enable()
    assert switches.changed() == "none"


def test_a_library_that_the_models_code_imports_computes_no_step(library):
    switches.remember()
    library("torch", is_anomaly_enabled=lambda: True)
    library("jax", config=SimpleNamespace(values={"jax_debug_nans": True}))
    assert switches.changed() == "none"


def test_objects_count_by_being_there(library):
    profiler = library("tensorflow.python.profiler.profiler_v2", _profiler=None)
    hooks = OrderedDict()  # as PyTorch has them
    module = SimpleNamespace(_has_any_global_hook=lambda: hooks)
    library("torch", nn=SimpleNamespace(modules=SimpleNamespace(module=module)))
    switches.remember()
    profiler._profiler, hooks[1] = object(), print
    assert switches.changed() == (
        "torch.nn.modules.module._has_any_global_hook = True, "
        "tensorflow.python.profiler.profiler_v2._profiler = True"
    )
