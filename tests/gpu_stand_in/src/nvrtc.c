/* libnvrtc: programs are taken and "compiled" to nothing, as their kernels compute nothing. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILED = 11 }; /* NVRTC_ERROR_INTERNAL_ERROR */

typedef struct Name {
    char *text;
    struct Name *next;
} Name;

int missing_nvrtc(const char *name) {
    log_missing(name);
    return FAILED;
}

int nvrtcVersion(int *major, int *minor) {
    *major = CUDART_NUMBER / 1000;
    *minor = CUDART_NUMBER % 1000 / 10;
    return SUCCESS;
}

const char *nvrtcGetErrorString(int error) {
    return error ? "NVRTC_ERROR_INTERNAL_ERROR" : "NVRTC_SUCCESS";
}

int nvrtcCreateProgram(void **program, const char *source, const char *name, int n,
                       const char **headers, const char **included) {
    (void)source, (void)name, (void)n, (void)headers, (void)included;
    *program = calloc(1, sizeof(Name));
    return SUCCESS;
}

int nvrtcDestroyProgram(void **program) {
    for (Name *name = *program, *next; name; name = next) {
        next = name->next;
        free(name->text);
        free(name);
    }
    *program = NULL;
    return SUCCESS;
}

/* "The lowered name's memory is released when the program is destroyed." */
int nvrtcGetLoweredName(void *program, const char *expression, const char **lowered) {
    Name *first = program, *name = malloc(sizeof *name);
    *name = (Name){strdup(expression), first->next};
    first->next = name;
    *lowered = name->text;
    return SUCCESS;
}

static const char nothing[] = "// compiled by a stand-in";

static int size_of_nothing(size_t *bytes) {
    *bytes = sizeof nothing;
    return SUCCESS;
}

static int copy_nothing(char *text) {
    memcpy(text, nothing, sizeof nothing);
    return SUCCESS;
}

int nvrtcGetPTXSize(void *program, size_t *bytes) { return (void)program, size_of_nothing(bytes); }
int nvrtcGetPTX(void *program, char *text) { return (void)program, copy_nothing(text); }
int nvrtcGetCUBINSize(void *program, size_t *n) { return (void)program, size_of_nothing(n); }
int nvrtcGetCUBIN(void *program, char *text) { return (void)program, copy_nothing(text); }
int nvrtcGetProgramLogSize(void *program, size_t *n) { return (void)program, size_of_nothing(n); }
int nvrtcGetProgramLog(void *program, char *text) { return (void)program, copy_nothing(text); }

int nvrtcGetNumSupportedArchs(int *n) {
    *n = 2;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *architectures) {
    architectures[0] = 80;
    architectures[1] = 90;
    return SUCCESS;
}
