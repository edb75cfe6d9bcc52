/* What the documentation of CUDA promises of memory and of errors, case by case.
 *
 *   PROGRAM CASE      exit status 0 where it holds; else the line that does not */
#define _DEFAULT_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <sys/mman.h>

static void copies_are_real_and_wait_as_documented(void) {
    char *device, *pinned, *pageable = malloc(10 * MIB);
    FINE(cudaMalloc((void **)&device, 10 * MIB));
    FINE(cudaHostAlloc((void **)&pinned, 10 * MIB, 0));
    memset(pageable, 7, 10 * MIB);
    FINE(cudaMemcpy(device, pageable, 10 * MIB, cudaMemcpyHostToDevice));
    FINE(cudaDeviceSynchronize());
    double start = now_ms();
    FINE(cudaMemcpyAsync(pinned, device, 10 * MIB, cudaMemcpyDeviceToHost, NULL));
    HOLDS(cudaStreamQuery(NULL) == cudaErrorNotReady);
    FINE(cudaStreamSynchronize(NULL));
    HOLDS(exactly(now_ms() - start, 10.48576));
    HOLDS(pinned[0] == 7 && pinned[10 * MIB - 1] == 7);
    FINE(cudaMemset(device, 3, 10 * MIB));
    start = now_ms();
    FINE(cudaMemcpyAsync(pageable, device, 10 * MIB, cudaMemcpyDeviceToHost, NULL));
    HOLDS(exactly(now_ms() - start, 10.48576));
    HOLDS(pageable[10 * MIB - 1] == 3);
    FINE(cudaMemset(device, 0, 10 * MIB));
    FINE(cudaMemcpy(pageable, device, 10 * MIB, cudaMemcpyDeviceToHost));
    HOLDS(pageable[0] == 0 && pageable[10 * MIB - 1] == 0);
    FINE(cudaFreeHost(pinned));
    FINE(cudaFree(device));
    free(pageable);
}

static size_t pages_there(void *start, size_t bytes) {
    static unsigned char there[20 * MIB / 4096];
    size_t found = 0;
    HOLDS(!mincore(start, bytes, there));
    for (size_t i = 0; i < bytes / 4096; i++) found += there[i] & 1;
    return found;
}

static void a_copy_of_what_nobody_wrote_takes_no_room(void) {
    char *from, *to;
    FINE(cudaMalloc((void **)&from, 20 * MIB));
    FINE(cudaMalloc((void **)&to, 20 * MIB));
    FINE(cudaMemset(to, 3, 20 * MIB));
    FINE(cudaMemset(from + 9 * MIB + 77, 5, 1));
    HOLDS(pages_there(to, 20 * MIB) == 5120);
    FINE(cudaMemcpy(to + 1, from + 1, 20 * MIB - 1, cudaMemcpyDeviceToDevice));
    HOLDS(pages_there(to, 20 * MIB) < 2 * 256 + 20); /* two of a MiB, and where others meet */
    for (size_t i = 0; i < 20 * MIB; i++) HOLDS(to[i] == (i ? i == 9 * MIB + 77 ? 5 : 0 : 3));
    FINE(cudaFree(from));
    FINE(cudaFree(to));
}

static void memory_ends_and_comes_back(void) {
    size_t available, total;
    void *first, *second, *third;
    struct cudaPointerAttributes about_it;
    FINE(cudaMemGetInfo(&available, &total));
    HOLDS(total == 64 * MIB && available == total);
    FINE(cudaMalloc(&first, 40 * MIB));
    HOLDS(cudaMalloc(&second, 25 * MIB) == cudaErrorMemoryAllocation);
    HOLDS(cudaGetLastError() == cudaErrorMemoryAllocation);
    FINE(cudaMalloc(&second, 24 * MIB));
    HOLDS(cudaMallocAsync(&third, 1, NULL) == cudaErrorMemoryAllocation);
    FINE(cudaFree(first));
    FINE(cudaMallocAsync(&third, 40 * MIB, NULL));
    FINE(cudaMemGetInfo(&available, &total));
    HOLDS(available == 0);
    HOLDS(cudaFree((char *)third + 8) == cudaErrorInvalidValue);
    FINE(cudaPointerGetAttributes(&about_it, (char *)third + 8));
    HOLDS(about_it.type == cudaMemoryTypeDevice && about_it.device == 0);
    FINE(cudaPointerGetAttributes(&about_it, &available));
    HOLDS(about_it.type == cudaMemoryTypeUnregistered);
    FINE(cudaFree(second));
    FINE(cudaFreeAsync(third, NULL));
    FINE(cudaFree(NULL));
}

static void a_pool_says_what_it_holds(void) {
    cudaMemPool_t pool;
    void *pointer;
    uint64_t bytes;
    FINE(cudaDeviceGetDefaultMemPool(&pool, 0));
    FINE(cudaMallocFromPoolAsync(&pointer, 10 * MIB, pool, NULL));
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    HOLDS(bytes == 10 * MIB);
    FINE(cudaFreeAsync(pointer, NULL));
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    HOLDS(bytes == 0);
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes));
    HOLDS(bytes == 10 * MIB);
}

static void addresses_are_mapped_to_memory(void) {
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemAccessDesc who = {.location = what.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory, more;
    CUdeviceptr place;
    size_t available, total;
    HOLDS(cuMemCreate(&memory, 3 * MIB, &what, 0) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuMemCreate(&more, 66 * MIB, &what, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    HOLDS(!cuMemCreate(&memory, 4 * MIB, &what, 0));
    HOLDS(!cuMemAddressReserve(&place, 8 * MIB, 0, 0, 0));
    HOLDS(!cuMemMap(place, 4 * MIB, 0, memory, 0));
    HOLDS(!cuMemMap(place + 4 * MIB, 4 * MIB, 0, memory, 0));
    HOLDS(!cuMemSetAccess(place, 8 * MIB, &who, 1));
    HOLDS(!cuMemsetD8(place, 5, 4 * MIB));
    HOLDS(((char *)place)[7 * MIB] == 5); /* the same memory at two places */
    HOLDS(!cuMemRelease(memory));
    cudaMemGetInfo(&available, &total);
    HOLDS(available == 60 * MIB);
    HOLDS(!cuMemUnmap(place, 8 * MIB));
    cudaMemGetInfo(&available, &total);
    HOLDS(available == 64 * MIB);
    HOLDS(!cuMemAddressFree(place, 8 * MIB));
}

static void launches_that_cannot_be_are_refused(void) {
    dim3 one = {1, 1, 1};
    HOLDS(cudaLaunchKernel(usual, (dim3){0, 1, 1}, one, NULL, 0, NULL) ==
          cudaErrorInvalidConfiguration);
    HOLDS(cudaLaunchKernel(usual, one, (dim3){1025, 1, 1}, NULL, 0, NULL) ==
          cudaErrorInvalidConfiguration);
    HOLDS(cudaLaunchKernel(&one, one, one, NULL, 0, NULL) == cudaErrorInvalidDeviceFunction);
    HOLDS(!strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDeviceFunction"));
    FINE(cudaPeekAtLastError());
}

static void a_function_that_is_missing_says_its_name(void) {
    void *library = dlopen("libcufft.so.12", RTLD_NOW);
    int (*missing)(void) = (int (*)(void))dlsym(library, "cufftPlan1d");
    HOLDS(library && missing && missing());
}

static void a_device_that_failed_stays_so(void) {
    FINE(run(usual, NULL));
    FINE(run(usual, NULL)); /* the second one fails, which a later call is told */
    HOLDS(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    HOLDS(cudaGetLastError() == cudaErrorIllegalAddress);
    HOLDS(cudaGetLastError() == cudaErrorIllegalAddress);
    HOLDS(run(usual, NULL) == cudaErrorIllegalAddress);
}

static void a_device_whose_clocks_fall_takes_longer(void) {
    cudaEvent_t begin, end;
    float ms;
    FINE(cudaEventCreate(&begin));
    FINE(cudaEventCreate(&end));
    FINE(run(usual, NULL));
    FINE(cudaEventRecord(begin, NULL));
    for (int i = 0; i < 4; i++) FINE(run(usual, NULL)); /* from the third on at half the clocks */
    FINE(cudaEventRecord(end, NULL));
    FINE(cudaEventSynchronize(end));
    FINE(cudaEventElapsedTime(&ms, begin, end));
    HOLDS(exactly(ms, 2 * 1 + 2 * 2));
    FINE(cudaEventDestroy(begin));
    FINE(cudaEventDestroy(end));
}

static const Case cases[] = {
    CASE(copies_are_real_and_wait_as_documented),
    CASE(a_copy_of_what_nobody_wrote_takes_no_room),
    CASE(memory_ends_and_comes_back),
    CASE(a_pool_says_what_it_holds),
    CASE(addresses_are_mapped_to_memory),
    CASE(launches_that_cannot_be_are_refused),
    CASE(a_function_that_is_missing_says_its_name),
    CASE(a_device_that_failed_stays_so),
    CASE(a_device_whose_clocks_fall_takes_longer),
};

MAIN(cases)
