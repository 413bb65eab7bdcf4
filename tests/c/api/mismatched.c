/* Calls that do not fit: reported with both places, and the rest of the profile is what it should be. */
#define _POSIX_C_SOURCE 200809L
#include "known.h"
#include <workspan.h>

int main(void) {
    workspan_task *outer = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "outer"));
    workspan_task *inner;
    workspan_task_begin(outer);
    inner = workspan_task_spawn(WORKSPAN_SITE(WORKSPAN_TASK, "inner"));
    workspan_task_begin(inner);
    spin(10);
    /* The inner one has not ended: it ends here, too. */
    workspan_task_end(outer);
    workspan_sync();
    workspan_wait_end();
    spin(10);
    /* Nobody has waited for the inner one: only the end of the program does. */
    goal(20, 10);
    return 0;
}
