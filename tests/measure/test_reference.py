"""The operations in NumPy, which every way must equal, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measure.native import c_calls, reference

# Small whole numbers: every sum is exact, and many are equal.
values = st.tuples(st.integers(1, 4), st.integers(0, 4)).flatmap(
    lambda sizes: arrays(
        np.float32, (1, sizes[0] + sizes[1], sizes[0]), elements=st.integers(-3, 3).map(np.float32)
    )
)


def paths(frames, tokens):
    """All paths that begin at the first token, end at the last one, and advance by at most one."""
    for advances in itertools.combinations(range(1, frames), tokens - 1):
        yield [sum(frame >= advance for advance in advances) for frame in range(frames)]


def total(value, path):
    return sum(value[frame, token] for frame, token in enumerate(path))


@given(values)
def test_of_the_largest_sums_it_is_the_path_that_advances_earliest_on_the_way_back(value):
    """A tie stays: seen from the end, the token of a frame is the largest possible one."""
    (found,) = reference.mas(value)
    every = list(paths(*value.shape[1:]))
    most = max(total(value[0], path) for path in every)
    best = [path[::-1] for path in every if total(value[0], path) == most]
    assert found.tolist()[::-1] == max(best)


@given(values)
def test_the_c_has_the_same_path(value):
    assert (c_calls.mas(value) == reference.mas(value)).all()


@pytest.mark.parametrize(
    ("name", "constants"), [("telu", ()), ("snake", (1.5,)), ("snake", (0.3,))]
)
def test_a_gradient_is_the_slope_of_the_output_and_the_c_has_both(name, constants):
    x = np.linspace(-9, 9, 2001, dtype=np.float32)
    output = getattr(reference, name)
    slope = getattr(reference, f"{name}_gradient")(x, np.full_like(x, 2), *constants)
    step = 1e-6
    ahead, behind = (output(x.astype(np.float64) + way * step, *constants) for way in (1, -1))
    assert slope == pytest.approx((ahead - behind) / step, abs=1e-6)
    forward, backward = c_calls.activation(name)
    assert forward(x, *constants) == pytest.approx(output(x, *constants), abs=1e-5)
    assert backward(x, np.full_like(x, 2), *constants) == pytest.approx(slope, abs=5e-5)
