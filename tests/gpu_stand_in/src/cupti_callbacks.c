/* libcupti: the callback API, for what is called of the runtime and of the driver. */
#define _GNU_SOURCE
#include "cupti_shared.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define MOST_FUNCTIONS 1024

static struct CUpti_Subscriber_st {
    CUpti_CallbackFunc function;
    void *theirs;
} only; /* "there can be only one subscriber at a time" */
static unsigned char wanted[2][MOST_FUNCTIONS]; /* of the runtime, of the driver */
static const char *names[2][MOST_FUNCTIONS];    /* of those that were called */

/* Each device has one context, which the driver knows: a program that has the runtime alone has not
 * loaded it. */
static CUresult (*primary)(CUcontext *, CUdevice);
static void find_driver(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *function = NULL;
    if (driver) function = dlsym(driver, "cuDevicePrimaryCtxRetain");
    memcpy(&primary, &function, sizeof primary);
}

static CUcontext context_of(int device) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CUcontext found = NULL;
    pthread_once(&once, find_driver);
    if (primary) primary(&found, device);
    return found;
}

static void call_back(ApiCall *call, CUpti_ApiCallbackSite site) {
    if (!wanted[call->driver][call->function]) return;
    CUpti_CallbackData data = {
        .callbackSite = site,
        .functionName = call->name,
        .functionParams = call->arguments,
        .symbolName = call->kernel,
        .context = context_of(current_device()),
        .contextUid = context_id(current_device()),
        .correlationData = &call->kept,
        .correlationId = call->number,
    };
    only.function(only.theirs,
                  call->driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API,
                  call->function, &data);
}

static void begun(ApiCall *call) {
    __atomic_store_n(&names[call->driver][call->function], call->name, __ATOMIC_RELAXED);
    call_back(call, CUPTI_API_ENTER);
}

static void ended(ApiCall *call, int64_t end_ns) {
    add_call(call, end_ns);
    call_back(call, CUPTI_API_EXIT);
    have_buffer();
}

void watch(void) {
    static const Observer us = {begun, ended, add_work};
    int watched = memchr(enabled, 1, sizeof enabled) || memchr(wanted, 1, sizeof wanted);
    observe(watched ? &us : NULL);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function,
                           void *theirs) {
    if (!subscriber || !function) return CUPTI_ERROR_INVALID_PARAMETER;
    if (only.function) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    only.function = function;
    only.theirs = theirs;
    *subscriber = &only;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    if (subscriber != &only || !only.function) return CUPTI_ERROR_INVALID_PARAMETER;
    memset(wanted, 0, sizeof wanted);
    watch();
    only.function = NULL;
    return CUPTI_SUCCESS;
}

/* "Detaches": nobody observes any more, and what was not asked for is lost. */
CUptiResult cuptiFinalize(void) {
    memset(enabled, 0, sizeof enabled);
    memset(wanted, 0, sizeof wanted);
    watch();
    only.function = NULL;
    forget();
    return CUPTI_SUCCESS;
}

/* Of the domains that are no functions nothing is told: contexts are there from the beginning. */
static unsigned char *wanted_of(CUpti_CallbackDomain domain) {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return wanted[1];
    return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? wanted[0] : NULL;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId function) {
    if (subscriber != &only || function >= MOST_FUNCTIONS) return CUPTI_ERROR_INVALID_PARAMETER;
    if (wanted_of(domain)) wanted_of(domain)[function] = enable != 0;
    watch();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
    if (subscriber != &only) return CUPTI_ERROR_INVALID_PARAMETER;
    if (wanted_of(domain)) memset(wanted_of(domain), enable != 0, MOST_FUNCTIONS);
    watch();
    return CUPTI_SUCCESS;
}

/* ---- names and numbers ---- */

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t function,
                                 const char **name) {
    unsigned char *known = wanted_of(domain);
    if (!known || function >= MOST_FUNCTIONS) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = __atomic_load_n(&names[known == wanted[1]][function], __ATOMIC_RELAXED);
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

uint32_t context_id(int device) { return (uint32_t)device + 1; }

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device) {
    for (*device = 0; (int)*device < n_visible(); ++*device)
        if (context_of((int)*device) == context) return CUPTI_SUCCESS;
    return CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t *id) {
    uint32_t device;
    CUptiResult error = cuptiGetDeviceId(context, &device);
    *id = context_id((int)device);
    return error;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t of_thread,
                               uint32_t *id) {
    unsigned long long found;
    (void)context, (void)of_thread;
    if (stream_facts(stream, NULL, NULL, &found, NULL)) return CUPTI_ERROR_INVALID_STREAM;
    *id = (uint32_t)found;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *id) {
    *id = (uint32_t)((Graph *)graph)->id;
    return CUPTI_SUCCESS;
}
