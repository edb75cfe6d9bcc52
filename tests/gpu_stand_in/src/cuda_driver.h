/* What the files of the driver share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <cuda.h>

#include "stand_in.h"

#define OWN __attribute__((visibility("hidden")))

OWN CUcontext context_of(int device);
OWN CUcontext in_use(void); /* the context of this thread */

#endif
