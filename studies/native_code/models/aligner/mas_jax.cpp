// Monotonic alignment search as a foreign function of XLA, for JAX.
#include <vector>

#include "mas.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Value = ffi::BufferR3<ffi::F32>;
using Path = ffi::BufferR2<ffi::S32>;

static ffi::Error search(Value value, ffi::Result<Path> path) {
  const int64_t batch = value.dimensions()[0];
  const int64_t frames = value.dimensions()[1], tokens = value.dimensions()[2];
  std::vector<float> scratch(frames * tokens);
  for (int64_t item = 0; item < batch; item++)
    mas(value.typed_data() + item * frames * tokens, path->typed_data() + item * frames, frames,
        tokens, scratch.data());
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(Mas, search, ffi::Ffi::Bind().Arg<Value>().Ret<Path>());
