"""Run in the environment of Keras 3 on PyTorch: what compiling finds on disk.

    python compiled_keras.py WORKFLOW CELL start

start: see compiled_pytorch.py.
"""

import json

from program import cell

from measure import frameworks

framework = frameworks.create(cell)
framework.load()
framework.build()
before = framework.compile_cache()
(inputs, *_) = framework.models.batch(cell, cell.batch_size)
framework.model.predict(inputs, verbose=0)
print(json.dumps([before, framework.compile_cache()]))
