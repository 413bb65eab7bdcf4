// task_group, task_arena, parallel_pipeline; exceptions and cancellation.
#include "known.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>
#include <thread>

static void group() {
    tbb::task_group tasks;
    for (int i = 1; i <= 4; ++i) {
        tasks.run([=] { spin(5 * i); });
    }
    spin(8);
    CHECK(tasks.wait() == tbb::complete);
    spin(2);
    goal(60, 22);
}

// A wait for one group is no wait for the other.
static void two_groups() {
    tbb::task_group first;
    tbb::task_group second;
    first.run([] { spin(10); });
    second.run([] { spin(40); });
    first.wait();
    spin(20);
    second.wait();
    goal(70, 40);
}

// The group goes down the recursion: whoever is below spawns into it.
static void spawn(tbb::task_group &tasks, int depth) {
    spin(5);
    if (depth > 0) {
        tasks.run([=, &tasks] { spawn(tasks, depth - 1); });
        tasks.run([=, &tasks] { spawn(tasks, depth - 1); });
    }
}

static void shared_group() {
    tbb::task_group tasks;
    spawn(tasks, 2);
    tasks.wait();
    goal(7 * 5, 3 * 5);
}

static long fib(int n) {
    if (n < 2) {
        spin(2);
        return n;
    }
    long left;
    long right;
    tbb::task_group tasks;
    tasks.run([&] { left = fib(n - 1); });
    right = fib(n - 2);
    tasks.wait();
    return left + right;
}

static void recursion() {
    CHECK(fib(7) == 13);
    // 21 leaves, all of them parallel.
    goal(21 * 2, 2);
}

static void run_and_wait() {
    tbb::task_group tasks;
    tasks.run([] { spin(20); });
    auto later = tasks.defer([] { spin(15); });
    tasks.run(std::move(later));
    tasks.run_and_wait([] { spin(10); });
    spin(5);
    goal(50, 25);
}

static void cancelled() {
    tbb::task_group tasks;
    std::atomic<int> begun{0};
    tasks.run([&] {
        spin(5);
        tasks.cancel();
    });
    tasks.wait();
    tasks.cancel();
    for (int i = 0; i < 100; ++i) {
        tasks.run([&] { begun += 1; });
    }
    CHECK(tasks.wait() == tbb::canceled);
    spin(5);
    CHECK(begun == 0);
    goal(10, 10);
}

static void throwing() {
    bool caught = false;
    tbb::task_group tasks;
    tasks.run([] {
        spin(10);
        throw std::runtime_error("task");
    });
    try {
        tasks.wait();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught);
    caught = false;
    try {
        tbb::parallel_for(
            tbb::blocked_range<int>(0, 2, 1),
            [](const tbb::blocked_range<int> &part) {
                spin(10);
                if (part.begin() == 0) {
                    throw part.begin();
                }
            },
            tbb::simple_partitioner());
    } catch (int) {
        caught = true;
    }
    CHECK(caught);
    spin(5);
    // The loop's other piece may have been cancelled.
    goal(25, 35, 25, 25);
}

// Nobody waits for what the group has when it goes: it cancels, waits itself and says so.
static void missing_wait() {
    bool caught = false;
    try {
        tbb::task_group tasks;
        for (int i = 0; i < 20; ++i) {
            tasks.run([] { spin(1); });
        }
    } catch (const std::exception &) {
        caught = true;
    }
    CHECK(caught);
    spin(5);
    goal(5, 25, 5, 7);
}

static int in_arena(tbb::task_arena &arena, bool &is_elsewhere) {
    spin(5);
    const auto here = std::this_thread::get_id();
    const int result = arena.execute([&] {
        is_elsewhere = std::this_thread::get_id() != here;
        spin(10);
        tbb::parallel_for(
            tbb::blocked_range<int>(0, 2, 1), [](const tbb::blocked_range<int> &) { spin(10); },
            tbb::simple_partitioner());
        return 3;
    });
    spin(5);
    return result;
}

static void arena() {
    tbb::task_arena arena;
    bool is_elsewhere;
    CHECK(in_arena(arena, is_elsewhere) == 3);
    // The first arena has oneTBB look at the machine, which is serial work and takes 5 to 15 ms.
    goal(40, 60, 30, 50);
}

// Two other threads have the arena's two places, wait there for a task that nobody runs, and meanwhile run the functor.
static void full_arena() {
    tbb::task_arena arena(2, 2);
    tbb::task_group held;
    auto never_run = held.defer([] {});
    std::atomic<int> inside{0};
    auto wait_inside = [&] {
        arena.execute([&] {
            inside += 1;
            held.wait();
        });
    };
    std::thread first(wait_inside);
    std::thread second(wait_inside);
    while (inside < 2) {
        std::this_thread::yield();
    }
    bool is_elsewhere;
    CHECK(in_arena(arena, is_elsewhere) == 3);
    CHECK(is_elsewhere);
    { auto gone = std::move(never_run); }
    first.join();
    second.join();
    goal(40, 30);
}

// Nobody but the end of the program awaits it.
static void detached() {
    tbb::task_arena arena(2);
    std::atomic<bool> is_done{false};
    arena.enqueue([&] {
        spin(10);
        is_done = true;
    });
    spin(40);
    while (!is_done) {
        spin(1);
    }
    goal(50, 60, 40, 50);
}

static void pipeline_of(std::size_t most, double work, double span) {
    int next = 0;
    int sum = 0;
    tbb::parallel_pipeline(most, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                             [&](tbb::flow_control &control) {
                                                                 if (next == 6) {
                                                                     control.stop();
                                                                     return 0;
                                                                 }
                                                                 spin(2);
                                                                 return ++next;
                                                             })
                                     & tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                                                  [](int item) {
                                                                      spin(10);
                                                                      return item;
                                                                  })
                                     & tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order,
                                                                   [&](int item) {
                                                                       spin(4);
                                                                       sum += item;
                                                                   }));
    CHECK(sum == 21);
    goal(work, span);
}

// The first two filters of the first item, then the last filter of all six.
static void pipeline() { pipeline_of(6, 6 * 16, 2 + 10 + 6 * 4); }

// One item at a time.
static void narrow_pipeline() { pipeline_of(1, 6 * 16, 6 * 16); }

int main(int count, char **arguments) {
    const test all[] = {{"group", group},
                        {"two_groups", two_groups},
                        {"shared_group", shared_group},
                        {"recursion", recursion},
                        {"run_and_wait", run_and_wait},
                        {"cancelled", cancelled},
                        {"throwing", throwing},
                        {"missing_wait", missing_wait},
                        {"arena", arena},
                        {"full_arena", full_arena},
                        {"detached", detached},
                        {"pipeline", pipeline},
                        {"narrow_pipeline", narrow_pipeline}};
    return run_one(all, count, arguments);
}
