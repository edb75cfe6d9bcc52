// Snake and its gradient as operators of TensorFlow, through its C interface: of the C++ one the
// headers alone take five times as long to compile.
#include <vector>

#include "operations.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

// One output of the shape of the first of `count` inputs: loop(inputs, output, elements).
template <int count, typename Loop>
static void elementwise(TF_OpKernelContext *context, Loop loop) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *inputs[count];
  const float *from[count];
  for (int i = 0; i < count; i++) {
    TF_GetInput(context, i, &inputs[i], status);
    from[i] = static_cast<const float *>(TF_TensorData(inputs[i]));
  }
  std::vector<int64_t> shape;
  for (int i = 0; i < TF_NumDims(inputs[0]); i++) shape.push_back(TF_Dim(inputs[0], i));
  TF_Tensor *output = TF_AllocateOutput(context, 0, TF_FLOAT, shape.data(), shape.size(),
                                        TF_TensorByteSize(inputs[0]), status);
  if (TF_GetCode(status) == TF_OK)
    loop(from, static_cast<float *>(TF_TensorData(output)), TF_TensorElementCount(inputs[0]));
  else
    TF_OpKernelContext_Failure(context, status);
  TF_DeleteTensor(output);
  for (TF_Tensor *input : inputs) TF_DeleteTensor(input);
  TF_DeleteStatus(status);
}

// A kernel keeps the constant of its node.
static void *create(TF_OpKernelConstruction *construction) {
  TF_Status *status = TF_NewStatus();
  float *a = new float;
  TF_OpKernelConstruction_GetAttrFloat(construction, "a", a, status);
  TF_DeleteStatus(status);
  return a;
}

static void destroy(void *a) { delete static_cast<float *>(a); }

static void forward(void *a, TF_OpKernelContext *context) {
  elementwise<1>(context, [a](const float **from, float *y, int64_t n) {
    snake_forward(from[0], y, *static_cast<float *>(a), n);
  });
}

static void backward(void *a, TF_OpKernelContext *context) {
  elementwise<2>(context, [a](const float **from, float *dx, int64_t n) {
    snake_backward(from[0], from[1], dx, *static_cast<float *>(a), n);
  });
}

static void infer_shape(TF_ShapeInferenceContext *context, TF_Status *status) {
  TF_ShapeHandle *shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void add(const char *name, std::vector<const char *> inputs, const char *output,
                void (*compute)(void *, TF_OpKernelContext *)) {
  TF_Status *status = TF_NewStatus();
  TF_OpDefinitionBuilder *definition = TF_NewOpDefinitionBuilder(name);
  for (const char *input : inputs) TF_OpDefinitionBuilderAddInput(definition, input);
  TF_OpDefinitionBuilderAddOutput(definition, output);
  TF_OpDefinitionBuilderAddAttr(definition, "a: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(definition, infer_shape);
  TF_RegisterOpDefinition(definition, status);
  TF_KernelBuilder *kernel = TF_NewKernelBuilder(name, "CPU", create, compute, destroy);
  TF_RegisterKernelBuilder(name, kernel, status);
  TF_DeleteStatus(status);
}

static const bool added = [] {
  add("Snake", {"x: float"}, "y: float", forward);
  add("SnakeBackward", {"x: float", "dy: float"}, "dx: float", backward);
  return true;
}();
