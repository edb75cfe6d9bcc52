// Monotonic alignment search as an operator of PyTorch, for its stable ABI.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include "mas.h"

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

Tensor mas_on_cpu(const Tensor &given) {
    const Tensor value = contiguous(given);
    const int64_t batch = value.size(0), frames = value.size(1), tokens = value.size(2);
    Tensor path = new_empty(value, {batch, frames}, ScalarType::Int);
    Tensor best = new_empty(value, {frames, tokens});
    for (int64_t item = 0; item < batch; ++item)
        mas(value.const_data_ptr<float>() + item * frames * tokens,
            path.mutable_data_ptr<int32_t>() + item * frames, frames, tokens,
            best.mutable_data_ptr<float>());
    return path;
}

STABLE_TORCH_LIBRARY_FRAGMENT(native_code, library) { library.def("mas(Tensor value) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(native_code, CPU, library) { library.impl("mas", TORCH_BOX(&mas_on_cpu)); }
