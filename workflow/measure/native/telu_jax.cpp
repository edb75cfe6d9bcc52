// TeLU and its gradient as foreign functions of XLA, for JAX.
#include "operations.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Floats = ffi::Buffer<ffi::F32>;

static ffi::Error forward(Floats x, ffi::Result<Floats> y) {
  telu_forward(x.typed_data(), y->typed_data(), x.element_count());
  return ffi::Error::Success();
}

static ffi::Error backward(Floats x, Floats dy, ffi::Result<Floats> dx) {
  telu_backward(x.typed_data(), dy.typed_data(), dx->typed_data(), x.element_count());
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(Telu, forward, ffi::Ffi::Bind().Arg<Floats>().Ret<Floats>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(TeluBackward, backward,
                              ffi::Ffi::Bind().Arg<Floats>().Arg<Floats>().Ret<Floats>());
