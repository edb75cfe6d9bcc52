"""State of the compilation cache in Keras 3 on PyTorch."""

from column import framework_of


def start(cell):
    """State of the cache before and after a prediction, see compiled_pytorch.py."""
    framework = framework_of(cell)
    framework.build()
    before = framework.compile_cache()
    (inputs, *_) = framework.models.batch(cell, cell.batch_size)
    framework.model.predict(inputs, verbose=0)
    return [before, framework.compile_cache()]
