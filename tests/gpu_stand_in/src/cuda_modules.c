/* The driver: modules and launches. What is in a module is not looked at: a function is its name. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    *module = malloc(1);
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
    free(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    (void)module;
    *function = (CUfunction)strdup(name); /* kept: the log refers to it */
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
    (void)shared, (void)arguments, (void)extra;
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return CUDA_ERROR_INVALID_VALUE;
    LAUNCHES(cuLaunchKernel, grid_x, grid_y, grid_z, block_x, block_y, block_z);
    uint64_t blocks = (uint64_t)grid_x * grid_y * grid_z;
    return (CUresult)launch(stream, (const char *)function, blocks);
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
