/* Stands between an OpenMP runtime and the tool: writes what the runtime tells, and passes it on.
 *
 * Preloaded before libworkspan.so. STREAM names the file. Each line is one call: the number of its thread, the event's name,
 * and its arguments in the order of the specification. A task or region is what the tool keeps with it, since the runtime passes
 * copies of that from different places; where the tool keeps nothing, it is the place, after an @. So where the tool gets to know
 * of one, the line is written after the call was passed on, else before: of two calls of which one comes before the other in the
 * program, the lines do, too. Code addresses in the runtime itself begin with an r.
 *
 * Strands of the program, by which it moves the engine's virtual clock, are lines, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workspan.h>

static FILE *stream;
static void *runtime;
static ompt_start_tool_result_t *tool;
static ompt_function_lookup_t runtime_lookup;
static ompt_set_callback_t set_callback;
static ompt_get_task_info_t get_task_info;
static void (*advance)(int64_t);
static workspan_totals (*totals_now)(void);

static int thread(void) {
    static atomic_int threads;
    static _Thread_local int number = -1;
    if (number < 0)
        number = atomic_fetch_add(&threads, 1);
    return number;
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("STREAM");
    stream = file ? fopen(file, "w") : NULL;
    if (!stream) {
        fprintf(stderr, "recorder: STREAM names no file that can be written\n");
        exit(2);
    }
    fprintf(stream, "stream 1\n");
    thread();
    *(void **)&advance = dlsym(RTLD_NEXT, "workspan_clock_advance");
    *(void **)&totals_now = dlsym(RTLD_NEXT, "workspan_totals_now");
    if (!advance || !totals_now) {
        fprintf(stderr, "recorder: libworkspan.so is not preloaded\n");
        exit(2);
    }
}

/* Code addresses as text; several in one call of printf. */
struct text {
    char text[24];
};

static struct text place(const void *code) {
    struct text shown;
    Dl_info info;
    const char *prefix = code && dladdr(code, &info) && info.dli_fbase == runtime ? "r" : "";
    snprintf(shown.text, sizeof shown.text, "%s%" PRIxPTR, prefix, (uintptr_t)code);
    return shown;
}

/* The task or region at `place`. */
static struct text kept(const ompt_data_t *place) {
    struct text shown = {"0"};
    if (place)
        snprintf(shown.text, sizeof shown.text, "%s%" PRIxPTR, place->ptr ? "" : "@", (uintptr_t)(place->ptr ? place->ptr : place));
    return shown;
}

/* One call of printf is one line: it locks the file. */
#define WRITE(event, format, ...) fprintf(stream, "%d " event " " format "\n", thread(), __VA_ARGS__)

/* `program_task`: which of its tasks the program takes the strand for. With the longest path to its end, by the engine. */
void stream_strand(int64_t ticks, uint64_t program_task) {
    advance(ticks);
    WRITE("strand", "%" PRId64 " %" PRIx64 " %" PRId64, ticks, program_task, totals_now().span);
}

#define EVENTS(X) \
    X(parallel_begin) X(parallel_end) X(implicit_task) X(task_create) X(dependences) X(task_schedule) X(sync_region) \
    X(sync_region_wait) X(reduction) X(work) X(dispatch)

/* The tool's own. */
#define DECLARE(event) static ompt_callback_##event##_t tool_##event;
#define ompt_callback_sync_region_wait_t ompt_callback_sync_region_t
#define ompt_callback_reduction_t ompt_callback_sync_region_t
EVENTS(DECLARE)

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned threads, int flags,
                              const void *code) {
    tool_parallel_begin(task, frame, region, threads, flags, code);
    WRITE("parallel_begin", "%s %s %u %x %s", kept(task).text, kept(region).text, threads, flags, place(code).text);
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    WRITE("parallel_end", "%s %s %x %s", kept(region).text, kept(task).text, flags, place(code).text);
    tool_parallel_end(region, task, flags, code);
}

/* The last argument: the place. */
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned threads,
                             unsigned index, int flags) {
    if (endpoint != ompt_scope_begin)
        WRITE("implicit_task", "%d %s %s %u %u %x @%" PRIxPTR, endpoint, kept(region).text, kept(task).text, threads, index, flags,
              (uintptr_t)task);
    tool_implicit_task(endpoint, region, task, threads, index, flags);
    if (endpoint == ompt_scope_begin)
        WRITE("implicit_task", "%d %s %s %u %u %x @%" PRIxPTR, endpoint, kept(region).text, kept(task).text, threads, index, flags,
              (uintptr_t)task);
}

/* The last argument: the task that the thread executes by then, by what the runtime answers. */
static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags, int depends,
                           const void *code) {
    ompt_data_t *running = NULL;
    get_task_info(0, NULL, &running, NULL, NULL, NULL);
    tool_task_create(task, frame, new_task, flags, depends, code);
    WRITE("task_create", "%s %s %x %d %s %s", kept(task).text, kept(new_task).text, flags, depends, place(code).text, kept(running).text);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int length) {
    flockfile(stream);
    fprintf(stream, "%d dependences %s", thread(), kept(task).text);
    for (int i = 0; i < length; i++)
        fprintf(stream, " %" PRIxPTR ":%d", (uintptr_t)list[i].variable.ptr, list[i].dependence_type);
    fprintf(stream, "\n");
    funlockfile(stream);
    tool_dependences(task, list, length);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    WRITE("task_schedule", "%s %d %s", kept(prior).text, status, kept(next).text);
    tool_task_schedule(prior, status, next);
}

#define SYNC_REGION(event)                                                                                              \
    static void on_##event(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, \
                           const void *code) {                                                                          \
        WRITE(#event, "%d %d %s %s %s", kind, endpoint, kept(region).text, kept(task).text, place(code).text);                \
        tool_##event(kind, endpoint, region, task, code);                                                               \
    }
SYNC_REGION(sync_region)
SYNC_REGION(sync_region_wait)
SYNC_REGION(reduction)

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, uint64_t count,
                    const void *code) {
    WRITE("work", "%d %d %s %s %" PRIu64 " %s", kind, endpoint, kept(region).text, kept(task).text, count, place(code).text);
    tool_work(kind, endpoint, region, task, count, code);
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
    WRITE("dispatch", "%s %s %d %" PRIx64, kept(region).text, kept(task).text, kind, instance.value);
    tool_dispatch(region, task, kind, instance);
}

/* What the tool takes for the runtime's own. */
static int pass_on_callback(ompt_callbacks_t which, ompt_callback_t callback) {
    switch (which) {
#define PASS_ON(event)                                      \
    case ompt_callback_##event:                             \
        tool_##event = (ompt_callback_##event##_t)callback; \
        return set_callback(which, (ompt_callback_t)on_##event);
        EVENTS(PASS_ON)
    default:
        return set_callback(which, callback);
    }
}

static ompt_interface_fn_t lookup(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0)
        return (ompt_interface_fn_t)pass_on_callback;
    return runtime_lookup(name);
}

static int initialize(ompt_function_lookup_t of_runtime, int device, ompt_data_t *data) {
    Dl_info info;
    runtime_lookup = of_runtime;
    set_callback = (ompt_set_callback_t)of_runtime("ompt_set_callback");
    get_task_info = (ompt_get_task_info_t)of_runtime("ompt_get_task_info");
    if (dladdr((void *)of_runtime, &info))
        runtime = info.dli_fbase;
    return tool->initialize(lookup, device, data);
}

static void finalize(ompt_data_t *data) {
    tool->finalize(data);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime_version) {
    static ompt_start_tool_result_t own = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    tool = next ? next(version, runtime_version) : NULL;
    return tool ? &own : NULL;
}
