/* What the files of CUPTI share. */
#ifndef CUPTI_SHARED_H
#define CUPTI_SHARED_H

#include <cupti.h>

#include "observed.h"

#define OWN __attribute__((visibility("hidden")))

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 KernelRecord;
#else
typedef CUpti_ActivityKernel9 KernelRecord;
#endif
typedef union { /* the newest form of each kind: earlier ones are its beginning */
    CUpti_Activity any;
    KernelRecord kernel;
    CUpti_ActivityMemcpy6 copy;
    CUpti_ActivityMemset4 set;
    CUpti_ActivityAPI call;
    CUpti_ActivityExternalCorrelation outside;
} Record;
typedef struct {
    Record record;
    int64_t start_ns, end_ns; /* of the devices' clock; 0 where a record has no times */
} Kept;
typedef struct {
    CUpti_ActivityKind kind;
    size_t size, times; /* times: where its start is, and beside it its end; 0: it has none */
} Form;
OWN const Form *form_of(const CUpti_Activity *record); /* NULL: of a kind that is not known */

OWN extern unsigned char enabled[CUPTI_ACTIVITY_KIND_COUNT];
OWN void add_call(const ApiCall *call, int64_t end_ns);
OWN void add_work(const Work *work);
OWN Kept *take_ended(size_t *n, int64_t until_ns); /* the caller's to free */
OWN void have_buffer(void); /* before it is needed: who has given none is not asked to flush */
OWN void forget(void); /* what is recorded, and the buffer */
OWN void watch(void); /* as long as anything is enabled */
OWN uint32_t context_id(int device);

#endif
