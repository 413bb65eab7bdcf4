/* A runtime of one's own calls everything of order.h while a profile is taken, and compiles without one, too. */
#include <workspan/order.h>

/* Without a call behind it, a site is not used. */
#define SITE WORKSPAN_SITE(WORKSPAN_TASK, "order")

int main(void) {
    if (!workspan_active())
        return 0;
    workspan_group *group = workspan_group_begin();
    workspan_task *task = workspan_group_spawn(group, SITE);
    workspan_task *kept = workspan_task_keep(task);
    workspan_task_begin(task);
    workspan_task_end(task);
    workspan_loop *loop = workspan_loop_begin(SITE);
    workspan_task *piece = workspan_loop_piece(loop);
    workspan_task_after(piece, kept);
    workspan_task_forget(kept);
    workspan_task_begin(piece);
    workspan_task_end(piece);
    workspan_loop_end(loop);
    workspan_group_wait(group);
    workspan_group_end(group);
    workspan_task *call = workspan_call_begin(SITE);
    workspan_task_begin(call);
    workspan_task_end(call);
    workspan_call_end(call);
    return 0;
}
