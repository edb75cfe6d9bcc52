"""What compiling finds on disk in Keras 3 on PyTorch."""

from column import framework_of


def start(cell):
    """See compiled_pytorch.py."""
    framework = framework_of(cell)
    framework.build()
    before = framework.compile_cache()
    (inputs, *_) = framework.models.batch(cell, cell.batch_size)
    framework.model.predict(inputs, verbose=0)
    return [before, framework.compile_cache()]
