/* What the files of the driver share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <cuda.h>

#include "observed.h"

#include <cupti.h>

#define OWN __attribute__((visibility("hidden")))

/* A function with its arguments, as CUPTI's headers put them together. */
#define CALLED(function, ...) DRIVER(function, .arguments = &(function##_params){__VA_ARGS__})

OWN CUcontext context_of(int device);
OWN CUcontext in_use(void); /* the context of this thread */
OWN Call *call_of(const char *function, const unsigned grid[3], const unsigned block[3],
                  size_t shared, void **arguments); /* NULL or to be freed: see call_new */

#endif
