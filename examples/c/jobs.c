/* Reports its tasks itself, by workspan.h: parallel jobs, one for each file of a list, between two
 * serial phases. It runs them in order on one thread, and is measured as if they ran in parallel.
 *
 *     jobs [JOBS]     40 by default */
#include <stdio.h>
#include <stdlib.h>
#include <workspan.h>

static volatile double sink;

static void compute(int steps) {
    int i;
    for (i = 1; i < steps; i++) {
        sink += 1.0 / i;
    }
}

static void job(int number) {
    workspan_task *task = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "job"));
    workspan_task_begin(task);
    compute(200000 + 1000 * number);
    workspan_task_end(task);
}

int main(int count, char **words) {
    const int jobs = count > 1 ? atoi(words[1]) : 40;
    uint64_t region;
    int i;

    region = workspan_region_begin_here("read");
    compute(1000000);
    workspan_region_end(region);

    for (i = 0; i < jobs; i++) {
        job(i);
    }
    workspan_sync();
    /* The profile so far; does nothing in an unprofiled run. */
    workspan_dump("jobs-so-far.raw");

    region = workspan_region_begin_here("write");
    compute(2000000);
    workspan_region_end(region);
    printf("%d jobs\n", jobs);
    return 0;
}
