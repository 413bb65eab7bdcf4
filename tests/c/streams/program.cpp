/* Runs a random program: program SEED THREADS
 *
 * SEED tells the program, THREADS the most threads that an outermost region has.
 * Strands take no time but that of the engine's virtual clock, which `stream_strand` of recorder.c advances.
 */
#include "program.hpp"

#include <cstdio>
#include <cstdlib>
#include <omp.h>

extern "C" void stream_strand(int64_t ticks, uint64_t program_task) __attribute__((weak));

#define PRAGMA(text) _Pragma(#text)

namespace {

/* Of what is being executed. */
struct Frame {
    /* The task; odd if its creator waits for its end. */
    uint64_t task;
    /* Which of all executions of the code it is. */
    uint64_t salt;
    /* Is the task final? `omp_in_final` denies it before the first parallel region. */
    bool is_final = false;
};

char places[PLACES];

void run(const Block &block, Frame frame);

void strand(uint64_t salt, const Frame &frame) {
    if (stream_strand)
        /* So long that no two paths are of the same length. */
        stream_strand(1 + static_cast<int64_t>(mix(salt ^ frame.salt) % (1 << 30)), frame.task);
}

/* That of a new task. */
Frame new_task(const Node &node, const Frame &creator, uint64_t index = 0) {
    uint64_t salt = mix(creator.salt + node.salt + index);
    bool is_included = node.undeferred || creator.is_final;
    return {(salt & ~uint64_t{1}) | is_included, salt, node.final || creator.is_final};
}

/* That of a part of the same task. */
Frame part(const Node &node, const Frame &frame, uint64_t index) {
    return {frame.task, mix(frame.salt + node.salt + index), frame.is_final};
}

/* What a task gets is of basic types: where gcc would have a function copy it, libomp does not call that. */
template <int site> __attribute__((noinline)) void task(const Node *node, const Frame &creator) {
    Frame frame = new_task(*node, creator, site);
    uint64_t task = frame.task, salt = frame.salt;
    bool is_final = frame.is_final;
    if (node->flavour) {
#pragma omp task if (!node->undeferred) final(node->final) mergeable firstprivate(node, task, salt, is_final)
        run(node->bodies[0], {task, salt, is_final});
    } else {
#pragma omp task if (!node->undeferred) final(node->final) firstprivate(node, task, salt, is_final)
        run(node->bodies[0], {task, salt, is_final});
    }
}

#define DEPENDS(kind, number) depend(iterator(int i = 0 : (int)node->places[number].size()), kind : places[node->places[number][i]])

template <int site> __attribute__((noinline)) void dependent_task(const Node *node, const Frame &creator) {
    Frame frame = new_task(*node, creator, site);
    uint64_t task = frame.task, salt = frame.salt;
    bool is_final = frame.is_final;
#pragma omp task if (!node->undeferred) final(node->final) firstprivate(node, task, salt, is_final) DEPENDS(in, 0) DEPENDS(out, 1) \
    DEPENDS(inout, 2) DEPENDS(mutexinoutset, 3)
    run(node->bodies[0], {task, salt, is_final});
}

/* Rarely, libomp fails on them, also without a tool. */
#ifdef TIED
#define UNTIED
#else
#define UNTIED untied
#endif

/* Its parts, which different threads may execute, are between constructs of the task's own code. Undeferred and final ones are
   left out: libomp fails on them by itself. */
template <int site> __attribute__((noinline)) void untied_task(const Node *node, const Frame &creator) {
    Frame frame = new_task(*node, creator, site);
    uint64_t task = frame.task, salt = frame.salt;
    bool is_final = frame.is_final;
#pragma omp task UNTIED firstprivate(node, task, salt, is_final)
    {
        run(node->bodies[0], {task, salt, is_final});
#pragma omp taskyield
        run(node->bodies[1], part(*node, {task, salt, is_final}, 1));
#pragma omp taskwait
        strand(node->salt, part(*node, {task, salt, is_final}, 2));
    }
}

template <int site> __attribute__((noinline)) void taskwait() {
#pragma omp taskwait
    asm volatile("" : : "i"(site));
}

template <int site> __attribute__((noinline)) void taskwait_depend(const Node *node) {
#pragma omp taskwait DEPENDS(in, 0) DEPENDS(out, 1) DEPENDS(inout, 2)
    asm volatile("" : : "i"(site), "r"(node));
}

template <int site> __attribute__((noinline)) void taskgroup(const Node *node, const Frame &frame) {
#pragma omp taskgroup
    run(node->bodies[0], part(*node, frame, site));
}

/* `task`: the one that executes the iteration, a copy in each that the taskloop makes; at first 0, or 1 if it is included. */
void iteration(const Node *node, uint64_t creator, uint64_t &task, bool is_final, int index) {
    uint64_t salt = mix(creator + node->salt + static_cast<uint64_t>(index));
    if (task <= 1)
        task |= salt & ~uint64_t{1};
    run(node->bodies[0], {task, salt, is_final});
}

template <int site> __attribute__((noinline)) void taskloop(const Node *node, const Frame &frame) {
    uint64_t creator = frame.salt + site;
    bool is_final = node->final || frame.is_final;
    /* In a team of one thread the runtime does not tell of it. */
    bool is_undeferred = node->undeferred && omp_get_num_threads() > 1;
    uint64_t task = is_undeferred || frame.is_final;
#define TASKLOOP(clauses)                                                                                                    \
    PRAGMA(omp taskloop if (!is_undeferred) final(node->final) firstprivate(node, creator, task, is_final) clauses)          \
    for (int i = 0; i < node->count; i++)                                                                                    \
        iteration(node, creator, task, is_final, i);                                                                         \
    break
    switch (node->flavour + 4 * site) {
    case 0: TASKLOOP(grainsize(1));
    case 1: TASKLOOP(num_tasks(2));
    case 2: TASKLOOP(grainsize(2) nogroup);
    case 3: TASKLOOP(UNTIED);
    case 4: TASKLOOP(grainsize(2));
    case 5: TASKLOOP(num_tasks(3) nogroup);
    case 6: TASKLOOP(grainsize(1) nogroup);
    case 7: TASKLOOP(mergeable);
    }
}

__attribute__((noinline)) void critical(const Node *node, const Frame &frame) {
#pragma omp critical
    strand(node->salt, frame);
}

template <int site> __attribute__((noinline)) void parallel(const Node *node, const Frame &frame) {
#pragma omp parallel num_threads(node->count)
    {
        Frame own = new_task(*node, frame, static_cast<uint64_t>(omp_get_thread_num() + 100 * site));
        own.task &= ~uint64_t{1};
        own.is_final = false;
        run(node->bodies[0], own);
    }
}

template <int site> __attribute__((noinline)) void single(const Node *node, const Frame &frame) {
    if (node->nowait) {
#pragma omp single nowait
        run(node->bodies[0], part(*node, frame, site));
    } else {
#pragma omp single
        run(node->bodies[0], part(*node, frame, site));
    }
}

__attribute__((noinline)) void masked(const Node *node, const Frame &frame) {
#pragma omp master
    run(node->bodies[0], part(*node, frame, 0));
}

template <int site> __attribute__((noinline)) void sections(const Node *node, const Frame &frame) {
#define SECTIONS(clauses)                                   \
    PRAGMA(omp sections clauses) {                          \
        PRAGMA(omp section)                                 \
        run(node->bodies[0], part(*node, frame, site));     \
        PRAGMA(omp section)                                 \
        run(node->bodies[1], part(*node, frame, site + 2)); \
        PRAGMA(omp section)                                 \
        run(node->bodies[2], part(*node, frame, site + 4)); \
    }
    if (node->nowait) {
        SECTIONS(nowait)
    } else {
        SECTIONS()
    }
}

template <int site> __attribute__((noinline)) void loop(const Node *node, const Frame &frame) {
#define LOOP(clauses)                                                               \
    PRAGMA(omp for clauses)                                                         \
    for (int i = 0; i < node->count; i++)                                           \
        run(node->bodies[0], part(*node, frame, static_cast<uint64_t>(2 * i + site))); \
    break
    switch (node->flavour + (node->nowait ? 5 : 0)) {
    case 0: LOOP(schedule(static));
    case 1: LOOP(schedule(static, 1));
    case 2: LOOP(schedule(dynamic));
    case 3: LOOP(schedule(dynamic, 3));
    case 4: LOOP(schedule(guided));
    case 5: LOOP(schedule(static) nowait);
    case 6: LOOP(schedule(static, 1) nowait);
    case 7: LOOP(schedule(dynamic) nowait);
    case 8: LOOP(schedule(dynamic, 3) nowait);
    case 9: LOOP(schedule(guided) nowait);
    }
}

/* Calls the node's of two constructs in the source. */
#define AT_SITE(function, ...) (node.site ? function<1>(__VA_ARGS__) : function<0>(__VA_ARGS__))

void run(const Node &node, Frame frame) {
    switch (node.kind) {
    case Kind::Strand: return strand(node.salt, frame);
    case Kind::Task: return AT_SITE(task, &node, frame);
    case Kind::DependentTask: return AT_SITE(dependent_task, &node, frame);
    case Kind::UntiedTask: return AT_SITE(untied_task, &node, frame);
    case Kind::Taskwait: return AT_SITE(taskwait);
    case Kind::TaskwaitDepend: return AT_SITE(taskwait_depend, &node);
    case Kind::Taskgroup: return AT_SITE(taskgroup, &node, frame);
    case Kind::Taskloop: return AT_SITE(taskloop, &node, frame);
    case Kind::Taskyield: {
#pragma omp taskyield
        return;
    }
    case Kind::Critical: return critical(&node, frame);
    case Kind::Parallel: return AT_SITE(parallel, &node, frame);
    case Kind::Barrier: {
#pragma omp barrier
        return;
    }
    case Kind::Single: return AT_SITE(single, &node, frame);
    case Kind::Masked: return masked(&node, frame);
    case Kind::Sections: return AT_SITE(sections, &node, frame);
    case Kind::Loop: return AT_SITE(loop, &node, frame);
    }
}

void run(const Block &block, Frame frame) {
    for (const Node &node : block)
        run(node, frame);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: program SEED THREADS\n");
        return 2;
    }
    omp_set_dynamic(0);
    omp_set_max_active_levels(4);
    uint64_t seed = std::strtoull(argv[1], nullptr, 10);
    Block program = Generator(seed, std::atoi(argv[2])).program();
    run(program, {2, mix(seed)});
}
