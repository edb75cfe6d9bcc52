"""What the parity card of a Keras model says that it computes in."""

from types import SimpleNamespace

from measure.frameworks.keras import computing_dtype


def layer(compute_dtype, *shapes, inner=()):
    own = [SimpleNamespace(shape=shape) for shape in shapes]
    weights = own + [weight for one in inner for weight in one.weights]
    return SimpleNamespace(compute_dtype=compute_dtype, weights=weights, inner=inner)


def model(compute_dtype, *inner):
    """As Keras walks through layers: those around others first."""
    whole = layer(compute_dtype, inner=inner)
    whole._flatten_layers = lambda: [whole, *inner, *(x for one in inner for x in one.inner)]
    return whole


def test_layers_compute_and_not_the_model_around_them():
    dense = layer("bfloat16", (10, 4), (4,))
    assert computing_dtype(model("float32", layer("float32", inner=[dense]))) == "bfloat16"


def test_several_types_are_named_by_their_share_of_the_parameters():
    dense, norm = layer("bfloat16", (30, 3)), layer("float32", (10,))
    assert computing_dtype(model("float32", norm, dense)) == "bfloat16 90 %, float32 10 %"


def test_a_layer_within_another_owns_its_parameters():
    inner = layer("bfloat16", (7, 7))
    outer = layer("float32", (1, 7), inner=[inner])
    around = model("float16", inner, outer)  # the inner one is found first, and once more later
    assert computing_dtype(around) == "bfloat16 87.5 %, float32 12.5 %"


def test_layers_without_parameters_do_not_count():
    assert computing_dtype(model("float16", layer("float64"), layer("float32", (2,)))) == "float32"


def test_a_model_without_parameters_computes_in_its_own():
    assert computing_dtype(model("bfloat16", layer("bfloat16"))) == "bfloat16"
