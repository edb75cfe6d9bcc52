/* What the runtime's header asks of the compiler's own, for plain C: how functions are marked. */
#ifndef STAND_IN_HOST_DEFINES_H
#define STAND_IN_HOST_DEFINES_H

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __align__(bytes) __attribute__((aligned(bytes)))

#endif
