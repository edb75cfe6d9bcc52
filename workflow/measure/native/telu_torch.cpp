// TeLU and its gradient as operators of PyTorch.
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include "operations.h"

at::Tensor telu_on_cpu(const at::Tensor &given) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    telu_forward(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
    return y;
}

at::Tensor telu_gradient_on_cpu(const at::Tensor &given, const at::Tensor &given_dy) {
    const at::Tensor x = given.contiguous(), dy = given_dy.contiguous();
    at::Tensor dx = at::empty_like(x);
    telu_backward(x.const_data_ptr<float>(), dy.const_data_ptr<float>(),
                  dx.mutable_data_ptr<float>(), x.numel());
    return dx;
}

TORCH_LIBRARY_FRAGMENT(millistep, library) {
    library.def("telu(Tensor x) -> Tensor");
    library.def("telu_gradient(Tensor x, Tensor dy) -> Tensor");
}
TORCH_LIBRARY_IMPL(millistep, CPU, library) {
    library.impl("telu", telu_on_cpu);
    library.impl("telu_gradient", telu_gradient_on_cpu);
}
