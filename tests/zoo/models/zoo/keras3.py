"""Tiny models of the kinds that people bring, for Keras 3."""

from itertools import count

import keras
import numpy as np
from keras import layers, ops
from millistep.measure.models.zoo.data import SIDE, STEPS, WIDTH, WORDS, arrays, numbers

BACKEND = keras.backend.backend()


def stack(shape, *inner, **options):
    return keras.Sequential([keras.Input(shape, **options), *inner, layers.Dense(1)])


def flat(*inner):
    return stack((WIDTH,), *inner)


def series(*inner):
    return stack((STEPS, WIDTH), *inner)


def images(*inner):
    return stack((SIDE, SIDE, 3), *inner, layers.GlobalAveragePooling2D())


def dense():
    return flat(layers.Dense(64, activation="relu"))


def functional():
    x = keras.Input((WIDTH,))
    h = layers.Dense(WIDTH, activation="relu")(x)
    return keras.Model(x, layers.Dense(1)(layers.add([x, h])))


class Lazy(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = layers.Dense(64, activation="relu"), layers.Dense(1)

    def call(self, x):
        return self.outer(self.inner(x))


class NoUpdate(keras.Model):
    """Its train_step forgets to update the weights; that of JAX takes and returns its state."""

    def train_step(self, *given):
        *state, (_, y) = given
        found = {"loss": ops.mean(y)}
        return (found, *state) if state else found


def noupdate():
    x = keras.Input((WIDTH,))
    return NoUpdate(x, layers.Dense(1)(layers.Dense(64, activation="relu")(x)))


def shared():
    a, b = keras.Input((WIDTH,)), keras.Input((WIDTH,))
    arm = layers.Dense(64)
    return keras.Model([a, b], layers.Dense(1)(layers.subtract([arm(a), arm(b)])))


def twoinputs():
    a, b = keras.Input((WIDTH,)), keras.Input((STEPS,), dtype="int32")
    vectors = layers.Flatten()(layers.Embedding(WORDS, 8)(b))
    return keras.Model([a, b], layers.Dense(1)(layers.concatenate([a, vectors])))


def dictinputs():
    a, b = keras.Input((WIDTH,), name="a"), keras.Input((WIDTH,), name="b")
    return keras.Model({"a": a, "b": b}, layers.Dense(1)(layers.concatenate([a, b])))


def twooutputs():
    x = keras.Input((WIDTH,))
    h = layers.Dense(64, activation="relu")(x)
    return keras.Model(x, [layers.Dense(1)(h), layers.Dense(1)(h)])


def texts():
    indices = layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=STEPS)
    x = keras.Input((1,), dtype="string")
    h = layers.GlobalAveragePooling1D()(layers.Embedding(WORDS, 8)(indices(x)))
    return keras.Model(x, layers.Dense(1)(h))


def selfattention():
    x = keras.Input((STEPS, WIDTH))
    h = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    return keras.Model(x, layers.Dense(1)(layers.GlobalAveragePooling1D()(h)))


def int8():
    model = dense()
    model.quantize("int8")
    return model


class Scaled(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return ops.tanh(x * self.scale)


def trainstep():
    """A train_step of its own, which every backend writes in its own way."""
    base = {"tensorflow": of_tensorflow, "torch": of_torch, "jax": of_jax}[BACKEND]()
    x = keras.Input((WIDTH,))
    return base(x, layers.Dense(1)(layers.Dense(64, activation="relu")(x)))


def ownoptimizer():
    """Its train_step updates with an optimizer of its own; JAX' trainer keeps the state of one."""
    model = trainstep()
    model.own = keras.optimizers.Adam(0.01)
    model.own.build(model.trainable_variables)
    return model


def of_tensorflow():
    import tensorflow as tf

    class Own(keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = ops.mean((self(x, training=True) - y) ** 2)
            found = tape.gradient(loss, self.trainable_variables)
            chosen = getattr(self, "own", self.optimizer)
            chosen.apply_gradients(zip(found, self.trainable_variables, strict=True))
            return {"loss": loss}

    return Own


def of_torch():
    import torch

    class Own(keras.Model):
        def train_step(self, data):
            x, y = data
            self.zero_grad()
            loss = ops.mean((self(x, training=True) - y) ** 2)
            loss.backward()
            with torch.no_grad():
                variables = self.trainable_variables
                chosen = getattr(self, "own", self.optimizer)
                chosen.apply([v.value.grad for v in variables], variables)
            return {"loss": loss}

    return Own


def of_jax():
    import jax

    class Own(keras.Model):
        def train_step(self, state, data):
            trained, other, optimizer, metrics = state
            x, y = data

            def loss_of(weights):
                predicted, updated = self.stateless_call(weights, other, x, training=True)
                return ops.mean((predicted - y) ** 2), updated

            (loss, other), found = jax.value_and_grad(loss_of, has_aux=True)(trained)
            trained, optimizer = self.optimizer.stateless_apply(optimizer, found, trained)
            return {"loss": loss}, (trained, other, optimizer, metrics)

    return Own


def mixed():
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        return dense()
    finally:
        keras.config.set_dtype_policy(before)


def float64():
    inner = [layers.Dense(units, dtype="float64") for units in (64, 1)]
    return keras.Sequential([keras.Input((WIDTH,), dtype="float64"), *inner])


def frozen():
    model = dense()
    model.layers[0].trainable = False
    return model


class Signs(keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate):
        super().update_step(ops.sign(gradient), variable, learning_rate)


def listed():
    import torch

    class Listed(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = [torch.nn.Linear(WIDTH, 64), torch.tanh], layers.Dense(1)

        def call(self, x):
            for each in self.inner:
                x = each(x)
            return self.outer(x)

    return Listed()


def wrapped():
    import torch

    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(WIDTH, 16, batch_first=True)
            self.norm = torch.nn.BatchNorm1d(16)

        def forward(self, x):
            return self.norm(self.lstm(x)[0][:, -1])

    return series(layers.TorchModuleWrapper(Inner()))


class Own(Lazy):
    def fit(self, data, **options):
        return super().fit(data, **options)


class OwnFunction(Lazy):
    def make_train_function(self, force=False):
        return super().make_train_function(force)


def statistics():
    normalization = layers.Normalization()
    normalization.adapt(numbers(64, WIDTH))
    return flat(normalization, layers.Dense(64))


class Misspelled(Lazy):
    def call(self, x):
        return self.outer(self.no_such(x))


MODELS = {
    "functional": functional,
    "subclassed": Lazy,
    "nested": lambda: flat(keras.Sequential([layers.Dense(64), Lazy()])),
    "shared": shared,
    "twoinputs": twoinputs,
    "dictinputs": dictinputs,
    "twooutputs": twooutputs,
    "conv": lambda: images(layers.Conv2D(8, 3, padding="same", activation="relu")),
    "batchnorm": lambda: images(
        layers.Conv2D(8, 3, use_bias=False), layers.BatchNormalization(), layers.ReLU()
    ),
    "lstm": lambda: series(layers.LSTM(16)),
    "stateful": lambda: stack(None, layers.LSTM(16, stateful=True), batch_shape=(16, STEPS, WIDTH)),
    "texts": texts,
    "gru": lambda: series(layers.GRU(16)),
    "bidirectional": lambda: series(layers.Bidirectional(layers.LSTM(8))),
    "selfattention": selfattention,
    "embedding": lambda: stack(
        (STEPS,), layers.Embedding(WORDS, WIDTH), layers.GlobalAveragePooling1D(), dtype="int32"
    ),
    "masked": lambda: stack(
        (STEPS,), layers.Embedding(WORDS, 8, mask_zero=True), layers.LSTM(8), dtype="int32"
    ),
    "dropout": lambda: flat(layers.Dense(64, activation="relu"), layers.Dropout(0.5)),
    "normalized": lambda: flat(layers.LayerNormalization(), layers.Dense(64, activation="gelu")),
    "int8": int8,
    "customlayer": lambda: flat(Scaled(), layers.Dense(64)),
    "trainstep": trainstep,
    "noupdate": noupdate,
    "ownoptimizer": ownoptimizer,
    "mixed": mixed,
    "float64": float64,
    "regularized": lambda: flat(layers.Dense(64, kernel_regularizer="l2")),
    "frozen": frozen,
    "largeoutput": lambda: keras.Sequential([keras.Input((WIDTH,)), layers.Dense(2048)]),
    "short": lambda: stack((1,)),
    "growing": lambda: stack((None, WIDTH)),
    "noreturn": lambda: None,
    "listed": listed,
    "layeralone": lambda: layers.Dense(1),
    "wrapped": wrapped,
    "ownfit": Own,
    "ownfunction": OwnFunction,
    "spectral": lambda: flat(layers.SpectralNormalization(layers.Dense(64))),
    "statistics": statistics,
    "typo": lambda: flat(layers.Dense(64).no_such_attribute),
    "calltypo": Misspelled,
}


def distance(y, predicted):
    return ops.mean(ops.abs(y - predicted))


COMPILED = {
    "accumulation": {"optimizer": lambda: keras.optimizers.SGD(gradient_accumulation_steps=4)},
    "customloss": {"loss": lambda: distance},
    "customoptimizer": {"optimizer": Signs},
    "eager": {"run_eagerly": lambda: True},
    "metrics": {"metrics": lambda: ["mae", "mse"]},
    "several": {"steps_per_execution": lambda: 8},
    "weightdecay": {"optimizer": lambda: keras.optimizers.SGD(weight_decay=0.01)},
}


def build(cell):
    kind = cell.architecture["kind"]
    model = MODELS.get(kind, dense)()  # the others differ in how they are compiled, fed or called
    if not isinstance(model, keras.Model):
        return model
    options = {name: make() for name, make in COMPILED.get(kind, {}).items()}
    model.compile(**{"optimizer": "sgd", "loss": "mse", **options})
    if kind == "calledinbuild":
        model.train_on_batch(*batch(cell, cell.batch_size))
    return model


def batch(cell, batch_size):
    kind = cell.architecture["kind"]
    x, y = arrays(kind, batch_size)
    if kind == "tensors":
        x = ops.convert_to_tensor(x)
    if kind == "twooutputs":
        y = [y, y]
    if kind == "listbatch":
        return [x, y]
    if cell.task == "predict":
        return (x,)
    return (x, y, np.ones(batch_size, "float32")) if kind == "sampleweights" else (x, y)


def function_of(model):
    """Return the model as a function that the loop compiles itself."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.function(model)
    if BACKEND == "torch":
        import torch

        return torch.compile(model, backend="eager")
    import jax

    lists = model.trainable_variables, model.non_trainable_variables
    state = [[variable.value for variable in each] for each in lists]
    return jax.jit(lambda x: model.stateless_call(*state, x)[0])


def step_of(model, kind, x):
    """Return a step of a custom loop."""
    if kind == "functionloop":
        function = function_of(model)
        return lambda: ops.convert_to_numpy(function(x))
    if kind == "eagerloop":
        return lambda: model(x)
    if kind == "partloop":
        part = keras.Model(model.inputs, model.layers[0].output)
        return lambda: (model.predict_on_batch(x), part.predict_on_batch(x))
    if kind == "growing":
        lengths = count(1)
        return lambda: model.predict_on_batch(numbers(len(x), next(lengths), WIDTH))
    return lambda: model.predict_on_batch(x)


def own(model, cell, batch_size, tick):
    step = step_of(model, cell.architecture["kind"], numbers(batch_size, WIDTH))
    while not tick():
        step()


LOOPS = {"generate": own}
