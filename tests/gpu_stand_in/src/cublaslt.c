/* libcublasLt: descriptors as stores of their attributes, one algorithm, one launch a product. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ATTRIBUTES 64
enum { SUCCESS = 0, UNKNOWN_VALUE = 7, EXECUTION_FAILED = 13, UNSUPPORTED = 15 };

typedef struct {
    uint64_t values[MOST_ATTRIBUTES];
} Store;

int missing_cublaslt(const char *name) {
    log_missing(name);
    return UNSUPPORTED;
}

static int created(void **found) {
    *found = calloc(1, sizeof(Store));
    return SUCCESS;
}

static int set(void *store, int attribute, const void *value, size_t bytes) {
    if (attribute < 0 || attribute >= MOST_ATTRIBUTES || bytes > 8) return UNKNOWN_VALUE;
    memcpy(&((Store *)store)->values[attribute], value, bytes);
    return SUCCESS;
}

int cublasLtCreate(void **handle) { return created(handle); }
int cublasLtMatmulPreferenceCreate(void **found) { return created(found); }

int cublasLtDestroy(void *handle) {
    free(handle);
    return SUCCESS;
}

int cublasLtMatmulDescDestroy(void *descriptor) { return cublasLtDestroy(descriptor); }
int cublasLtMatrixLayoutDestroy(void *layout) { return cublasLtDestroy(layout); }
int cublasLtMatmulPreferenceDestroy(void *preference) { return cublasLtDestroy(preference); }

size_t cublasLtGetVersion(void) { return CUBLAS_NUMBER; }

int cublasLtMatmulDescCreate(void **descriptor, int compute, int scale) {
    (void)compute, (void)scale;
    return created(descriptor);
}

int cublasLtMatmulDescSetAttribute(void *descriptor, int attribute, const void *value, size_t n) {
    return set(descriptor, attribute, value, n);
}

int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value,
                                         size_t n) {
    return set(preference, attribute, value, n);
}

/* cublasLtMatrixLayoutAttribute_t: 0 type, 1 order, 2 rows, 3 columns, 4 leading dimension,
 * 5 batches, 6 stride between them. */
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading) {
    created(layout);
    uint64_t *values = ((Store *)*layout)->values;
    values[0] = (uint64_t)type;
    values[2] = rows;
    values[3] = columns;
    values[4] = (uint64_t)leading;
    values[5] = 1;
    return SUCCESS;
}

int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value, size_t n) {
    return set(layout, attribute, value, n);
}

int cublasLtMatrixLayoutGetAttribute(void *layout, int attribute, void *value, size_t room,
                                     size_t *written) {
    if (attribute < 0 || attribute >= MOST_ATTRIBUTES) return UNKNOWN_VALUE;
    size_t bytes = attribute == 0 || attribute == 1 || attribute == 5 ? 4 : 8;
    if (written) *written = bytes;
    if (value && room >= bytes) memcpy(value, &((Store *)layout)->values[attribute], bytes);
    return SUCCESS;
}

/* cublasLtMatmulHeuristicResult_t of the reference. */
typedef struct {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} Heuristic;

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *what, void *a, void *b, void *c, void *d,
                                   void *preference, int wanted, Heuristic *results, int *found) {
    (void)handle, (void)what, (void)a, (void)b, (void)c, (void)d, (void)preference;
    *found = wanted > 0;
    if (wanted > 0) *results = (Heuristic){.waves = 1};
    return SUCCESS;
}

int cublasLtMatmul(void *handle, void *what, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *workspace, size_t bytes,
                   void *stream) {
    (void)handle, (void)what, (void)alpha, (void)a, (void)a_layout, (void)b, (void)b_layout;
    (void)beta, (void)c, (void)c_layout, (void)d, (void)d_layout, (void)algorithm;
    (void)workspace, (void)bytes;
    return launch(stream, "cublasLtMatmul", 1) ? EXECUTION_FAILED : SUCCESS;
}

/* The inline functions of the header call these; the caller owns the memory. */
int cublasLtMatmulDescInit_internal(void *descriptor, size_t bytes, int compute, int scale) {
    (void)compute, (void)scale;
    memset(descriptor, 0, bytes);
    return SUCCESS;
}

int cublasLtMatmulPreferenceInit_internal(void *preference, size_t bytes) {
    memset(preference, 0, bytes);
    return SUCCESS;
}
