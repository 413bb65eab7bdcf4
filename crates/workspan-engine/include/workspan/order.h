/* For runtimes whose tasks are not nested: groups that are awaited apart from one another, pieces of a loop that follow
 * other pieces, calls that another thread runs. Over workspan.h, which says what tasks and loops are.
 *
 * Call these while workspan_active() only: the symbols are weak, and there is nothing behind them else. With WORKSPAN_DISABLED
 * defined that is 0, and the calls behind it are none. */
#ifndef WORKSPAN_ORDER_H
#define WORKSPAN_ORDER_H

#include <workspan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tasks that are awaited together, whoever spawns them. */
typedef struct workspan_group workspan_group;

#ifndef WORKSPAN_DISABLED

#define WORKSPAN_WEAK __attribute__((weak))

WORKSPAN_WEAK workspan_group *workspan_group_begin(void);
/* The running task spawns a child into the group; to be begun and ended like any other task. */
WORKSPAN_WEAK workspan_task *workspan_group_spawn(workspan_group *group, const workspan_site *site);
/* The running task goes on after all tasks of the group so far. Call after the wait. */
WORKSPAN_WEAK void workspan_group_wait(workspan_group *group);
/* Nobody awaits the group from here on, and nothing is spawned into it. Its tasks may run on. */
WORKSPAN_WEAK void workspan_group_end(workspan_group *group);

/* A piece of the loop, to be begun and ended as a task, on any thread. */
WORKSPAN_WEAK workspan_task *workspan_loop_piece(workspan_loop *loop);
/* Another handle of a task, also of one that has ended, for others to follow. To be given to workspan_task_forget. */
WORKSPAN_WEAK workspan_task *workspan_task_keep(workspan_task *task);
WORKSPAN_WEAK void workspan_task_forget(workspan_task *kept);
/* A task or piece that has not begun begins after `before` has ended, too. `before` is a kept handle. */
WORKSPAN_WEAK void workspan_task_after(workspan_task *task, workspan_task *before);

/* A call that may come to run on another thread, while the calling one waits and does what else there is: to be begun and
 * ended as a task. The running task goes on after it at workspan_call_end, which the calling thread calls. */
WORKSPAN_WEAK workspan_task *workspan_call_begin(const workspan_site *site);
WORKSPAN_WEAK void workspan_call_end(workspan_task *called);

#undef WORKSPAN_WEAK

#else

#define workspan_group_begin() ((workspan_group *)0)
#define workspan_group_spawn(group, site) ((void)(group), (workspan_task *)0)
#define workspan_group_wait(group) ((void)(group))
#define workspan_group_end(group) ((void)(group))
#define workspan_loop_piece(loop) ((void)(loop), (workspan_task *)0)
#define workspan_task_keep(task) ((void)(task), (workspan_task *)0)
#define workspan_task_forget(kept) ((void)(kept))
#define workspan_task_after(task, before) ((void)(task), (void)(before))
#define workspan_call_begin(site) ((workspan_task *)0)
#define workspan_call_end(called) ((void)(called))

#endif

#ifdef __cplusplus
}
#endif

#endif
