/* What the files of the CUDA runtime share. */
#ifndef CUDART_H
#define CUDART_H

#include <cuda_runtime_api.h>

#include "stand_in.h"

#define OWN __attribute__((visibility("hidden")))

typedef struct {
    const void *stub; /* of the host, by which a program means it */
    const char *name;
    size_t bytes; /* of a variable */
    void *there;  /* on the device */
} Symbol;

OWN cudaError_t told(int error); /* the same error, which cudaGetLastError is to find */
OWN int no_device(void);
OWN Symbol *symbol_of(const void *stub);

#endif
