/* libcublas: handles and their settings; each product is one launch on the handle's stream.
 *
 * The products themselves are made by build.py, which knows their names from who asks for them:
 * their first argument is the handle, which is all that one needs. */
#include "stand_in.h"

#include <stdlib.h>

#define HANDLE 0x424c4153u
#define WORKSPACE (4 << 20) /* bytes of the device, "allocated during the context creation" */
enum {
    SUCCESS = 0,
    NOT_INITIALISED = 1,
    ALLOC_FAILED = 3,
    EXECUTION_FAILED = 13,
    UNSUPPORTED = 15,
};

typedef struct {
    unsigned magic;
    int pointer_mode, math_mode;
    void *stream, *workspace;
} Handle;

int missing_cublas(const char *name) {
    log_missing(name);
    return UNSUPPORTED;
}

int product(void *handle, const char *name) {
    Handle *own = handle;
    if (!own || own->magic != HANDLE) return NOT_INITIALISED;
    return launch(own->stream, name, 1) ? EXECUTION_FAILED : SUCCESS;
}

int cublasCreate_v2(void **handle) {
    void *workspace;
    *handle = NULL;
    if (!n_visible()) return NOT_INITIALISED;
    if (device_allocate(&workspace, WORKSPACE)) return ALLOC_FAILED;
    Handle *own = calloc(1, sizeof *own);
    own->magic = HANDLE;
    own->workspace = workspace;
    *handle = own;
    return SUCCESS;
}

int cublasDestroy_v2(void *handle) {
    device_release(((Handle *)handle)->workspace);
    free(handle);
    return SUCCESS;
}

int cublasSetStream_v2(void *handle, void *stream) {
    ((Handle *)handle)->stream = stream;
    return SUCCESS;
}

int cublasGetStream_v2(void *handle, void **stream) {
    *stream = ((Handle *)handle)->stream;
    return SUCCESS;
}

int cublasSetPointerMode_v2(void *handle, int mode) {
    ((Handle *)handle)->pointer_mode = mode;
    return SUCCESS;
}

int cublasGetPointerMode_v2(void *handle, int *mode) {
    *mode = ((Handle *)handle)->pointer_mode;
    return SUCCESS;
}

int cublasSetMathMode(void *handle, int mode) {
    ((Handle *)handle)->math_mode = mode;
    return SUCCESS;
}

int cublasGetMathMode(void *handle, int *mode) {
    *mode = ((Handle *)handle)->math_mode;
    return SUCCESS;
}

int cublasGetVersion_v2(void *handle, int *version) {
    (void)handle;
    *version = CUBLAS_NUMBER;
    return SUCCESS;
}

/* libraryPropertyType: 0 major, 1 minor, 2 patch. */
int cublasGetProperty(int which, int *value) {
    *value = which == 0 ? CUBLAS_NUMBER / 10000 : which == 1 ? CUBLAS_NUMBER / 100 % 100 : 0;
    return SUCCESS;
}

const char *cublasGetStatusString(int status) {
    switch (status) {
    case SUCCESS: return "success";
    case NOT_INITIALISED: return "the library was not initialized";
    case ALLOC_FAILED: return "the resource allocation failed";
    case EXECUTION_FAILED: return "the function failed to launch on the GPU";
    case UNSUPPORTED: return "the functionality is not supported";
    default: return "unknown error code";
    }
}

const char *cublasGetStatusName(int status) { return cublasGetStatusString(status); }
