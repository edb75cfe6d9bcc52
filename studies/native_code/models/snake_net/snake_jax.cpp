// Snake and its gradient as foreign functions of XLA, for JAX; `a` is a constant of the program.
#include "snake.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Floats = ffi::Buffer<ffi::F32>;

static ffi::Error forward(Floats x, float a, ffi::Result<Floats> y) {
  snake_forward(x.typed_data(), y->typed_data(), a, x.element_count());
  return ffi::Error::Success();
}

static ffi::Error backward(Floats x, Floats dy, float a, ffi::Result<Floats> dx) {
  snake_backward(x.typed_data(), dy.typed_data(), dx->typed_data(), a, x.element_count());
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(Snake, forward,
                              ffi::Ffi::Bind().Arg<Floats>().Attr<float>("a").Ret<Floats>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    SnakeBackward, backward,
    ffi::Ffi::Bind().Arg<Floats>().Arg<Floats>().Attr<float>("a").Ret<Floats>());
