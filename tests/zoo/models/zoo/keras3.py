"""Tiny models of the kinds that people bring, for Keras 3. Each is a function with its name."""

import keras
import numpy as np
from keras import layers, ops
from millistep.measure.models.zoo.data import RANDOM, SIDE, STEPS, WIDTH, WORDS, numbers, words

BACKEND = keras.backend.backend()


def flat(*inner, **options):
    return keras.Sequential([keras.Input((WIDTH,), **options), *inner, layers.Dense(1)])


def dense():
    return flat(layers.Dense(64, activation="relu"))


# They differ in how they are compiled, fed or called.
customloss = accumulation = weightdecay = eager = ownloop = eagerloop = customoptimizer = dense
functionloop = partloop = dense
sampleweights = metrics = several = ignoredjit = listbatch = fixedsize = tensors = dense
calledinbuild = randombatch = seededbatch = dense


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


subclassed = Lazy


def nested():
    return flat(keras.Sequential([layers.Dense(64), Lazy()]))


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


def conv():
    image = keras.Input((SIDE, SIDE, 3))
    h = layers.Conv2D(8, 3, padding="same", activation="relu")(image)
    return keras.Model(image, layers.Dense(1)(layers.GlobalAveragePooling2D()(h)))


def batchnorm():
    image = keras.Input((SIDE, SIDE, 3))
    h = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(8, 3, use_bias=False)(image)))
    return keras.Model(image, layers.Dense(1)(layers.GlobalAveragePooling2D()(h)))


def series(*inner):
    return keras.Sequential([keras.Input((STEPS, WIDTH)), *inner, layers.Dense(1)])


def lstm():
    return series(layers.LSTM(16))


def stateful():
    inner = [layers.LSTM(16, stateful=True), layers.Dense(1)]
    return keras.Sequential([keras.Input(batch_shape=(16, STEPS, WIDTH)), *inner])


def texts():
    indices = layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=STEPS)
    x = keras.Input((1,), dtype="string")
    h = layers.GlobalAveragePooling1D()(layers.Embedding(WORDS, 8)(indices(x)))
    return keras.Model(x, layers.Dense(1)(h))


def gru():
    return series(layers.GRU(16))


def bidirectional():
    return series(layers.Bidirectional(layers.LSTM(8)))


def selfattention():
    x = keras.Input((STEPS, WIDTH))
    h = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    return keras.Model(x, layers.Dense(1)(layers.GlobalAveragePooling1D()(h)))


def embedding():
    pooled = [layers.Embedding(WORDS, WIDTH), layers.GlobalAveragePooling1D(), layers.Dense(1)]
    return keras.Sequential([keras.Input((STEPS,), dtype="int32"), *pooled])


def masked():
    masking = [layers.Embedding(WORDS, 8, mask_zero=True), layers.LSTM(8), layers.Dense(1)]
    return keras.Sequential([keras.Input((STEPS,), dtype="int32"), *masking])


def dropout():
    return flat(layers.Dense(64, activation="relu"), layers.Dropout(0.5))


def normalized():
    return flat(layers.LayerNormalization(), layers.Dense(64, activation="gelu"))


def int8():
    model = dense()
    model.quantize("int8")
    return model


class Scaled(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return ops.tanh(x * self.scale)


def customlayer():
    return flat(Scaled(), layers.Dense(64))


def trainstep():
    """A train_step of its own, which every backend writes in its own way."""
    base = {"tensorflow": of_tensorflow, "torch": of_torch, "jax": of_jax}[BACKEND]()
    x = keras.Input((WIDTH,))
    return base(x, layers.Dense(1)(layers.Dense(64, activation="relu")(x)))


def noupdate():
    """Its train_step forgets to update the weights."""
    model = trainstep()
    model.updates = False
    return model


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
            if getattr(self, "updates", True):
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
                if getattr(self, "updates", True):
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
            if not getattr(self, "updates", True):
                return {"loss": loss}, state
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
    inner = layers.Dense(64, dtype="float64")
    x = keras.Input((WIDTH,), dtype="float64")
    return keras.Sequential([x, inner, layers.Dense(1, dtype="float64")])


def regularized():
    return flat(layers.Dense(64, kernel_regularizer="l2"))


def frozen():
    model = dense()
    model.layers[0].trainable = False
    return model


def largeoutput():
    return keras.Sequential([keras.Input((WIDTH,)), layers.Dense(2048)])


def short():
    return keras.Sequential([keras.Input((1,)), layers.Dense(1)])


def growing():
    return keras.Sequential([keras.Input((None, WIDTH)), layers.Dense(1)])


class Signs(keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate):
        super().update_step(ops.sign(gradient), variable, learning_rate)


def noreturn():
    return None


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


def layeralone():
    return layers.Dense(1)


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


ownfit = Own


class OwnFunction(Lazy):
    def make_train_function(self, force=False):
        return super().make_train_function(force)


ownfunction = OwnFunction


def spectral():
    return flat(layers.SpectralNormalization(layers.Dense(64)))


def statistics():
    normalization = layers.Normalization()
    normalization.adapt(numbers(64, WIDTH))
    return flat(normalization, layers.Dense(64))


def typo():
    return flat(layers.Dense(64).no_such_attribute)


class Misspelled(Lazy):
    def call(self, x):
        return self.outer(self.no_such(x))


calltypo = Misspelled


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
    model = globals()[kind]()
    if not isinstance(model, keras.Model):
        return model
    options = {name: make() for name, make in COMPILED.get(kind, {}).items()}
    model.compile(**{"optimizer": "sgd", "loss": "mse", **options})
    if kind == "calledinbuild":
        model.train_on_batch(*batch(cell, cell.batch_size))
    return model


SERIES = "lstm", "stateful", "gru", "bidirectional", "selfattention", "wrapped"


def inputs(kind, batch_size):
    plain = numbers(batch_size, WIDTH)
    return {
        "twoinputs": [plain, words(batch_size)],
        "shared": [plain, plain],
        "dictinputs": {"a": plain, "b": plain},
        "conv": numbers(batch_size, SIDE, SIDE, 3),
        "batchnorm": numbers(batch_size, SIDE, SIDE, 3),
        **dict.fromkeys(("embedding", "masked"), words(batch_size)),
        **dict.fromkeys(SERIES, numbers(batch_size, STEPS, WIDTH)),
        "float64": plain.astype("float64"),
        "short": plain[:, :1],
        "texts": np.full((batch_size, 1), "a b c"),
    }.get(kind, plain)


def batch(cell, batch_size):
    kind = cell.architecture["kind"]
    if kind == "fixedsize":
        batch_size = 16
    x, y = inputs(kind, batch_size), numbers(batch_size, 1)
    if kind in RANDOM:
        x = RANDOM[kind]((batch_size, WIDTH)).astype("float32")
    if kind == "tensors":
        x = ops.convert_to_tensor(x)
    if kind == "largeoutput":
        y = numbers(batch_size, 2048)
    if kind == "twooutputs":
        y = [y, y]
    if kind == "float64":
        y = y.astype("float64")
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


def own(model, cell, batch_size, tick):
    kind = cell.architecture["kind"]
    x, length = numbers(batch_size, WIDTH), 0
    if kind == "functionloop":
        function = function_of(model)
        while not tick():
            ops.convert_to_numpy(function(x))
        return
    if kind == "partloop":
        part = keras.Model(model.inputs, model.layers[0].output)
        while not tick():
            model.predict_on_batch(x)
            part.predict_on_batch(x)
        return
    while not tick():
        length += 1
        if kind == "eagerloop":
            model(x)
            continue
        model.predict_on_batch(x if kind == "ownloop" else numbers(batch_size, length, WIDTH))


LOOPS = {"generate": own}
