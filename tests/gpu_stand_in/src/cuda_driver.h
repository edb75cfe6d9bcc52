/* What the files of the driver share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <cuda.h>

#include "stand_in.h"

#define OWN __attribute__((visibility("hidden")))

OWN CUcontext context_of(int device);
OWN CUcontext in_use(void); /* the context of this thread */
OWN Call *call_of(const char *function, const unsigned grid[3], const unsigned block[3],
                  size_t shared, void **arguments); /* NULL or to be freed: see call_new */

#endif
