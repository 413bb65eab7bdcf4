/* Profiles of a program that goes on: from a thread inside a task, from a thread of its own while others spawn, and at the end.
 * Each `dump FILE WORK_FROM WORK_TO SPAN_FROM SPAN_TO` says what is to stand in a file, in milliseconds. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <workspan.h>

static void task(double milliseconds) {
    workspan_task *spawned = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "task"));
    workspan_task_begin(spawned);
    spin(milliseconds);
    workspan_task_end(spawned);
}

static int dump(const char *file, double work, double span) {
    int result = workspan_dump(file);
    if (workspan_active()) {
        printf("dump %s %g %g %g %g\n", file ? file : "dump-1.raw", work, work, span, span);
        return result != 0;
    }
    return result != WORKSPAN_NOT_PROFILED;
}

static atomic_int is_over;

/* The thread's own spans are not known: only that the files can be read. */
static void *dump_again_and_again(void *failures) {
    int *failed = failures;
    workspan_wait_begin();
    while (!atomic_load(&is_over)) {
        int result = workspan_dump("again.raw");
        *failed |= result != (workspan_active() ? 0 : WORKSPAN_NOT_PROFILED);
    }
    workspan_wait_end();
    return NULL;
}

int main(void) {
    int failed = 0, failed_again = 0, i;
    pthread_t other;
    workspan_task *open;
    task(20);
    task(20);
    open = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "open"));
    workspan_task_begin(open);
    spin(30);
    /* What the open task has done so far counts, and is the longest path. */
    failed |= dump("inside.raw", 70, 30);
    failed |= dump("inside-again.raw", 70, 30);
    spin(30);
    workspan_task_end(open);
    workspan_sync();
    failed |= dump("after.raw", 100, 60);

    /* Nothing is left of the child that wrote. */
    failed |= waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
    if (workspan_active()) {
        failed |= workspan_dump("/no/such/folder/file.raw") != ENOENT;
    }

    pthread_create(&other, NULL, dump_again_and_again, &failed_again);
    for (i = 0; i < 2000; i++) {
        task(0.01);
    }
    workspan_sync();
    spin(20);
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    failed |= dump(NULL, 140, 80);
    goal(140, 80);
    return failed | failed_again;
}
