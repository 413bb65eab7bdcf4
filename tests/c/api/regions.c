/* Named regions: one in another, in tasks that are parallel to one another, and one that nothing runs beside. What-if changes
 * each by its name. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <workspan.h>

static void part(void) {
    workspan_task *task = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "part"));
    uint64_t inner;
    workspan_task_begin(task);
    inner = workspan_region_begin_here("inner");
    spin(20);
    workspan_region_end(inner);
    workspan_task_end(task);
}

int main(void) {
    uint64_t region = workspan_region_begin_here("outer");
    int i;
    spin(20);
    for (i = 0; i < 4; i++) {
        part();
    }
    workspan_sync();
    workspan_region_end(region);
    region = workspan_region_begin_here("tail");
    spin(40);
    workspan_region_end(region);
    goal(20 + 4 * 20 + 40, 20 + 20 + 40);
    return 0;
}
