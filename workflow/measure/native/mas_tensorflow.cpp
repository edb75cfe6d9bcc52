// Monotonic alignment search as an operator of TensorFlow, through its C interface: of the C++ one
// the headers alone take five times as long to compile.
#include <vector>

#include "operations.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void compute(void *, TF_OpKernelContext *context) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value;
  TF_GetInput(context, 0, &value, status);
  const int64_t batch = TF_Dim(value, 0), frames = TF_Dim(value, 1), tokens = TF_Dim(value, 2);
  const int64_t shape[] = {batch, frames};
  TF_Tensor *path = TF_AllocateOutput(context, 0, TF_INT32, shape, 2,
                                      batch * frames * sizeof(int32_t), status);
  if (TF_GetCode(status) == TF_OK) {
    const float *values = static_cast<const float *>(TF_TensorData(value));
    int32_t *paths = static_cast<int32_t *>(TF_TensorData(path));
    std::vector<float> scratch(frames * tokens);
    for (int64_t item = 0; item < batch; item++)
      mas(values + item * frames * tokens, paths + item * frames, frames, tokens, scratch.data());
  } else {
    TF_OpKernelContext_Failure(context, status);
  }
  TF_DeleteTensor(path);
  TF_DeleteTensor(value);
  TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *context, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  TF_ShapeInferenceContextSubshape(context, shape, 0, 2, shape, status);
  TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static const bool registered = [] {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *definition = TF_NewOpDefinitionBuilder("Mas");
  TF_OpDefinitionBuilderAddInput(definition, "value: float");
  TF_OpDefinitionBuilderAddOutput(definition, "path: int32");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(definition, infer_shape);
  TF_RegisterOpDefinition(definition, status);
  TF_KernelBuilder *kernel = TF_NewKernelBuilder("Mas", "CPU", nullptr, compute, nullptr);
  TF_RegisterKernelBuilder("Mas", kernel, status);
  TF_DeleteStatus(status);
  return true;
}();
