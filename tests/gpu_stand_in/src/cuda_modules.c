/* The driver: modules and launches. A function is its name; where its module has the text that it
 * was assembled from, it is read, too. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How names of kernels begin that PyTorch's compiler has made: no loop ends by what they compute. */
#define OF_PYTORCH "triton_"
#define SLOTS 65536 /* of the table from a function to its code; a power of 2 */
typedef struct {
    char *text;
    Variable *variables;
    size_t n_variables;
} Module;
static struct {
    const char *function;
    const Code *code;
} slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(const char *function) {
    size_t i = ((uintptr_t)function >> 4) * 0x9E3779B97F4A7C15UL >> 48 & (SLOTS - 1);
    while (slots[i].function && slots[i].function != function) i = (i + 1) & (SLOTS - 1);
    return i;
}

Call *call_of(const char *function, const unsigned grid[3], const unsigned block[3], size_t shared,
              void **arguments) {
    pthread_mutex_lock(&lock);
    const Code *code = slots[slot_of(function)].code;
    pthread_mutex_unlock(&lock);
    return call_new(code, grid, block, shared, arguments);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    Module *loaded = malloc(sizeof *loaded);
    loaded->text = ptx_text(image);
    loaded->variables = module_variables(image, &loaded->n_variables);
    *module = (CUmodule)loaded;
    return (CUresult)device_error();
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
    return access(path, R_OK) ? CUDA_ERROR_FILE_NOT_FOUND : cuModuleLoadData(module, path);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options,
                            void **values) {
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module) {
    Module *loaded = (Module *)module;
    for (size_t i = 0; i < loaded->n_variables; i++) {
        device_release(loaded->variables[i].place);
        free(loaded->variables[i].name);
    }
    free(loaded->variables), free(loaded->text), free(loaded);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *place, size_t *bytes, CUmodule module, const char *name) {
    const Module *loaded = (const Module *)module;
    for (size_t i = 0; i < loaded->n_variables; i++) {
        if (strcmp(loaded->variables[i].name, name)) continue;
        if (place) *place = (CUdeviceptr)loaded->variables[i].place;
        if (bytes) *bytes = loaded->variables[i].bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    const Module *of = (const Module *)module;
    const char *kept = strdup(name); /* the log refers to it */
    int is_read = of->text && strncmp(name, OF_PYTORCH, strlen(OF_PYTORCH));
    Code *code = is_read ? code_read(of->text, name, of->variables, of->n_variables) : NULL;
    *function = (CUfunction)kept;
    if (!code) return CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    size_t i = slot_of(kept);
    slots[i].function = kept;
    slots[i].code = code;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    return cuModuleLoadData(module, image);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned n, CUlibraryOption *more, void **more_values,
                           unsigned m) {
    (void)options, (void)values, (void)n, (void)more, (void)more_values, (void)m;
    return cuModuleLoadData((CUmodule *)library, image);
}

CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload((CUmodule)library); }

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
    *name = (const char *)function;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    const Device *device = visible_device(current_device());
    (void)function;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 10 * device->major + device->minor; break;
    default: *value = 0; /* no shared, constant or local memory */
    }
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
    (void)function, (void)shared;
    if (threads < 1) return CUDA_ERROR_INVALID_VALUE;
    *blocks = 2048 / threads > 32 ? 32 : 2048 / threads;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int threads, size_t shared,
                                                              unsigned flags) {
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

/* A launch and what it launches, for whichever function of the driver has its number. */
#define LAUNCHES(name, grid_x, grid_y, grid_z, block_x, block_y, block_z)              \
    DRIVER(name, .kernel = (const char *)function, .grid = {grid_x, grid_y, grid_z},   \
           .block = {block_x, block_y, block_z})

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra) {
    (void)extra;
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return CUDA_ERROR_INVALID_VALUE;
    LAUNCHES(cuLaunchKernel, grid_x, grid_y, grid_z, block_x, block_y, block_z);
    uint64_t blocks = (uint64_t)grid_x * grid_y * grid_z;
    const char *name = (const char *)function;
    Call *call = call_of(name, (unsigned[]){grid_x, grid_y, grid_z},
                         (unsigned[]){block_x, block_y, block_z}, shared, arguments);
    int error = call_refused(call);
    if (!error) error = launch_call(stream, name, blocks, call);
    free(call);
    return (CUresult)error;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *how, CUfunction function, void **arguments,
                          void **extra) {
    LAUNCHES(cuLaunchKernelEx, how->gridDimX, how->gridDimY, how->gridDimZ, how->blockDimX,
             how->blockDimY, how->blockDimZ);
    return cuLaunchKernel(function, how->gridDimX, how->gridDimY, how->gridDimZ, how->blockDimX,
                          how->blockDimY, how->blockDimZ, how->sharedMemBytes, how->hStream,
                          arguments, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments) {
    LAUNCHES(cuLaunchCooperativeKernel, grid_x, grid_y, grid_z, block_x, block_y, block_z);
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                          stream, arguments, NULL);
}
