// Monotonic alignment search as an operator of PyTorch.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "operations.h"

at::Tensor mas_on_cpu(const at::Tensor &given) {
    const at::Tensor value = given.contiguous();
    const int64_t batch = value.size(0), frames = value.size(1), tokens = value.size(2);
    at::Tensor path = at::empty({batch, frames}, value.options().dtype(at::kInt));
    at::Tensor best = at::empty({frames, tokens}, value.options());
    for (int64_t item = 0; item < batch; ++item)
        mas(value.const_data_ptr<float>() + item * frames * tokens,
            path.mutable_data_ptr<int32_t>() + item * frames, frames, tokens,
            best.mutable_data_ptr<float>());
    return path;
}

TORCH_LIBRARY_FRAGMENT(millistep, library) { library.def("mas(Tensor value) -> Tensor"); }
TORCH_LIBRARY_IMPL(millistep, CPU, library) { library.impl("mas", mas_on_cpu); }
