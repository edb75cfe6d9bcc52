"""What Keras 3 finds compiled, and under which names its operations are profiled."""

from column import framework_of, start

__all__ = ["start"]  # besides those below


def profiled(cell):
    """State of the cache after a step of training, and names of what computed in another."""
    framework, spans = _profiled(cell)
    return [framework.compile_cache(), sorted({span.name for span in spans})]


def parts(cell):
    """Names of the operations of which threads computed parts in steps of training.

    In a single step, a busy machine may leave all parts of a product to the thread that calls it.
    """
    _, spans = _profiled(cell, steps=30)
    return sorted({span.name for span in spans if span.part})


def _profiled(cell, steps=1):
    framework = framework_of(cell)
    framework.build()
    data = framework.models.batch(cell, cell.batch_size)
    framework.model.fit(*data, batch_size=cell.batch_size, verbose=0)
    framework.begin_profile()
    framework.model.fit(*data, batch_size=cell.batch_size, epochs=steps, verbose=0)
    return framework, framework.end_profile()
