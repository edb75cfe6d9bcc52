// Snake and its gradient as operators of PyTorch.
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include "operations.h"

at::Tensor snake_on_cpu(const at::Tensor &given, double a) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    snake_forward(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), a, x.numel());
    return y;
}

at::Tensor snake_gradient_on_cpu(const at::Tensor &given, const at::Tensor &given_dy, double a) {
    const at::Tensor x = given.contiguous(), dy = given_dy.contiguous();
    at::Tensor dx = at::empty_like(x);
    snake_backward(x.const_data_ptr<float>(), dy.const_data_ptr<float>(),
                   dx.mutable_data_ptr<float>(), a, x.numel());
    return dx;
}

TORCH_LIBRARY_FRAGMENT(millistep, library) {
    library.def("snake(Tensor x, float a) -> Tensor");
    library.def("snake_gradient(Tensor x, Tensor dy, float a) -> Tensor");
}
TORCH_LIBRARY_IMPL(millistep, CPU, library) {
    library.impl("snake", snake_on_cpu);
    library.impl("snake_gradient", snake_gradient_on_cpu);
}
