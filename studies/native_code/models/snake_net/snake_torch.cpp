// Snake and its gradient as operators of PyTorch, for its stable ABI.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include "snake.h"

using torch::stable::Tensor;

Tensor snake_on_cpu(const Tensor &given, double a) {
    const Tensor x = contiguous(given);
    Tensor y = empty_like(x);
    snake_forward(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), a, x.numel());
    return y;
}

Tensor snake_gradient_on_cpu(const Tensor &given, const Tensor &given_dy, double a) {
    const Tensor x = contiguous(given), dy = contiguous(given_dy);
    Tensor dx = empty_like(x);
    snake_backward(x.const_data_ptr<float>(), dy.const_data_ptr<float>(),
                   dx.mutable_data_ptr<float>(), a, x.numel());
    return dx;
}

STABLE_TORCH_LIBRARY_FRAGMENT(native_code, library) {
    library.def("snake(Tensor x, float a) -> Tensor");
    library.def("snake_gradient(Tensor x, Tensor dy, float a) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(native_code, CPU, library) {
    library.impl("snake", TORCH_BOX(&snake_on_cpu));
    library.impl("snake_gradient", TORCH_BOX(&snake_gradient_on_cpu));
}
