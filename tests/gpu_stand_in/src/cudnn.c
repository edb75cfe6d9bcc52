/* libcudnn: its backend API as a store of attributes, with one engine for every graph.
 *
 * Numbers are those of cudnnBackendAttributeName_t and cudnnBackendAttributeType_t in the API
 * reference. A descriptor that is destroyed stays: what was finalized refers to it, as cuDNN's
 * own counting of references has it. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

#define HANDLE 0x43444e4eu
enum { SUCCESS = 0, BAD_PARAMETER = 2000, UNSUPPORTED = 3000, EXECUTION_FAILED = 5000 };
enum {
    ENGINEHEUR_RESULTS = 202,
    ENGINECFG_ENGINE = 300,
    ENGINECFG_INTERMEDIATE_INFO = 301,
    ENGINECFG_KNOB_CHOICES = 302,
    PLAN_WORKSPACE_SIZE = 402,
    PLAN_JSON = 405,
    GRAPH_ENGINE_COUNT = 802,
    ENGINE_KNOB_INFO = 1302,
    ENGINE_NUMERICAL_NOTE = 1303,
    ENGINE_LAYOUT_INFO = 1304,
    ENGINE_BEHAVIOR_NOTE = 1305,
};
enum { BACKEND_DESCRIPTOR = 15, CHARACTER = 24 };

typedef struct {
    unsigned magic;
    void *stream;
} Handle;
typedef struct {
    int name, type;
    int64_t n;
    char *values;
} Attribute;
typedef struct {
    int type, n;
    Attribute *attributes;
} Descriptor;

int missing_cudnn(const char *name) {
    log_missing(name);
    return UNSUPPORTED;
}

int cudnnCreate(void **handle) {
    Handle *own = calloc(1, sizeof *own);
    own->magic = HANDLE;
    *handle = own;
    return n_visible() ? SUCCESS : 1001; /* CUDNN_STATUS_NOT_INITIALIZED */
}

int cudnnDestroy(void *handle) {
    free(handle);
    return SUCCESS;
}

int cudnnSetStream(void *handle, void *stream) {
    ((Handle *)handle)->stream = stream;
    return SUCCESS;
}

int cudnnGetStream(void *handle, void **stream) {
    *stream = ((Handle *)handle)->stream;
    return SUCCESS;
}

size_t cudnnGetVersion(void) { return CUDNN_NUMBER; }
size_t cudnnGetCudartVersion(void) { return CUDART_NUMBER; }

int cudnnGetProperty(int which, int *value) {
    int parts[] = {CUDNN_NUMBER / 10000, CUDNN_NUMBER / 100 % 100, CUDNN_NUMBER % 100};
    if (which < 0 || which > 2) return BAD_PARAMETER;
    *value = parts[which];
    return SUCCESS;
}

const char *cudnnGetErrorString(int status) {
    switch (status) {
    case SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case BAD_PARAMETER: return "CUDNN_STATUS_BAD_PARAM";
    case UNSUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_UNKNOWN_STATUS";
    }
}

void cudnnGetLastErrorString(char *text, size_t room) {
    if (room) *text = 0;
}

/* Bytes of one value of a cudnnBackendAttributeType_t. */
static size_t width(int type) {
    switch (type) {
    case 2:          /* boolean */
    case CHARACTER: return 1;
    case 0:          /* handle */
    case 3:          /* int64 */
    case 5:          /* double */
    case 6:          /* pointer */
    case 26:         /* fraction */
    case BACKEND_DESCRIPTOR: return 8;
    default: return 4; /* enumerations, int32, float */
    }
}

static Attribute *attribute_of(Descriptor *descriptor, int name) {
    for (int i = 0; i < descriptor->n; i++)
        if (descriptor->attributes[i].name == name) return &descriptor->attributes[i];
    return NULL;
}

int cudnnBackendCreateDescriptor(int type, void **found) {
    Descriptor *descriptor = calloc(1, sizeof *descriptor);
    descriptor->type = type;
    *found = descriptor;
    return SUCCESS;
}

int cudnnBackendSetAttribute(void *into, int name, int type, int64_t n, const void *values) {
    Descriptor *descriptor = into;
    Attribute *attribute = attribute_of(descriptor, name);
    if (!attribute) {
        size_t bytes = (size_t)(descriptor->n + 1) * sizeof *attribute;
        descriptor->attributes = realloc(descriptor->attributes, bytes);
        attribute = &descriptor->attributes[descriptor->n++];
    } else free(attribute->values);
    size_t bytes = (size_t)n * width(type);
    *attribute = (Attribute){name, type, n, malloc(bytes + 8)};
    if (bytes && values) memcpy(attribute->values, values, bytes);
    return SUCCESS;
}

static void one(int type, int64_t room, int64_t *n, void *values, int64_t value) {
    if (n) *n = 1;
    if (room > 0 && values) memcpy(values, &value, width(type)); /* little endian */
}

static int text(const char *words, int64_t room, int64_t *n, void *values) {
    int64_t bytes = (int64_t)strlen(words) + 1;
    if (n) *n = bytes;
    if (values && room >= bytes) memcpy(values, words, (size_t)bytes);
    return SUCCESS;
}

/* A descriptor is handed over into one that the caller has made. */
static void hand_over(Descriptor *from, Descriptor **to) {
    if (!*to) {
        *to = from;
        return;
    }
    for (int i = 0; i < from->n; i++) {
        Attribute *each = &from->attributes[i];
        cudnnBackendSetAttribute(*to, each->name, each->type, each->n, each->values);
    }
}

static void stored(const Attribute *attribute, int64_t room, void *values) {
    int64_t n = room < attribute->n ? room : attribute->n;
    if (attribute->type != BACKEND_DESCRIPTOR) {
        memcpy(values, attribute->values, (size_t)n * width(attribute->type));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        hand_over(((Descriptor **)attribute->values)[i], &((Descriptor **)values)[i]);
}

/* What is asked of an engine: there is one, without knobs and notes, which needs no workspace. */
int cudnnBackendGetAttribute(void *from, int name, int type, int64_t room, int64_t *n,
                             void *values) {
    Attribute *attribute = attribute_of(from, name);
    switch (name) {
    case ENGINEHEUR_RESULTS:
        if (n) *n = 1;
        return SUCCESS;
    case GRAPH_ENGINE_COUNT: one(type, room, n, values, 1); return SUCCESS;
    case PLAN_WORKSPACE_SIZE: one(type, room, n, values, 0); return SUCCESS;
    case PLAN_JSON: return text("{\"engine\": \"stand-in\"}", room, n, values);
    case ENGINE_KNOB_INFO:
    case ENGINE_NUMERICAL_NOTE:
    case ENGINE_LAYOUT_INFO:
    case ENGINE_BEHAVIOR_NOTE:
    case ENGINECFG_INTERMEDIATE_INFO:
    case ENGINECFG_KNOB_CHOICES:
        if (n) *n = 0;
        return SUCCESS;
    }
    if (!attribute && type != BACKEND_DESCRIPTOR) one(type, room, n, values, 0);
    else if (n) *n = attribute ? attribute->n : 1;
    if (attribute && room > 0 && values) stored(attribute, room, values);
    return SUCCESS;
}

int cudnnBackendExecute(void *handle, void *plan, void *pack) {
    (void)plan, (void)pack;
    return launch(((Handle *)handle)->stream, "cudnnBackendExecute", 1) ? EXECUTION_FAILED
                                                                        : SUCCESS;
}

/* ---- descriptors of the older interface: shapes that are kept and handed back ---- */

#define MOST_DIMENSIONS 8
typedef struct {
    int type, n, sizes[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
} Tensor;

int cudnnCreateTensorDescriptor(void **found) {
    *found = calloc(1, sizeof(Tensor));
    return SUCCESS;
}

int cudnnSetTensorNdDescriptor(void *tensor, int type, int n, const int sizes[],
                               const int strides[]) {
    Tensor *own = tensor;
    if (n > MOST_DIMENSIONS) return UNSUPPORTED;
    own->type = type;
    own->n = n;
    memcpy(own->sizes, sizes, (size_t)n * sizeof *sizes);
    memcpy(own->strides, strides, (size_t)n * sizeof *strides);
    return SUCCESS;
}

int cudnnGetTensorNdDescriptor(void *tensor, int room, int *type, int *n, int sizes[],
                               int strides[]) {
    Tensor *own = tensor;
    *type = own->type;
    *n = own->n;
    for (int i = 0; i < room && i < own->n; i++) {
        sizes[i] = own->sizes[i];
        if (strides) strides[i] = own->strides[i];
    }
    return SUCCESS;
}

int cudnnDestroyTensorDescriptor(void *tensor) {
    free(tensor);
    return SUCCESS;
}
