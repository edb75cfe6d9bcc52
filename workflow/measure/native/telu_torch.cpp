// TeLU and its gradient as operators of PyTorch, by its stable ABI: quick to compile.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include "operations.h"

using torch::stable::Tensor;

Tensor telu_on_cpu(const Tensor &given) {
    const Tensor x = contiguous(given);
    Tensor y = empty_like(x);
    telu_forward(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
    return y;
}

Tensor telu_gradient_on_cpu(const Tensor &given, const Tensor &given_dy) {
    const Tensor x = contiguous(given), dy = contiguous(given_dy);
    Tensor dx = empty_like(x);
    telu_backward(x.const_data_ptr<float>(), dy.const_data_ptr<float>(),
                  dx.mutable_data_ptr<float>(), x.numel());
    return dx;
}

STABLE_TORCH_LIBRARY_FRAGMENT(millistep, library) {
    library.def("telu(Tensor x) -> Tensor");
    library.def("telu_gradient(Tensor x, Tensor dy) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(millistep, CPU, library) {
    library.impl("telu", TORCH_BOX(&telu_on_cpu));
    library.impl("telu_gradient", TORCH_BOX(&telu_gradient_on_cpu));
}
