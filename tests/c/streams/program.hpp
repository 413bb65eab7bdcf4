/* Random programs: trees of OpenMP's constructs. */
#ifndef PROGRAM_HPP
#define PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

/* The SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014, Fig. 17), also as a mixer of numbers. */
inline uint64_t mix(uint64_t seed) {
    uint64_t mixed = seed + 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

class Random {
public:
    explicit Random(uint64_t seed) : state(mix(seed)) {}
    uint64_t bits() { return state = mix(state); }
    int below(int bound) { return static_cast<int>(bits() % static_cast<uint64_t>(bound)); }
    bool chance(int percent) { return below(100) < percent; }

private:
    uint64_t state;
};

enum class Kind {
    Strand,
    Task,
    DependentTask,
    UntiedTask,
    Taskwait,
    TaskwaitDepend,
    Taskgroup,
    Taskloop,
    Taskyield,
    Critical,
    Parallel,
    /* Of all threads of a team alike. */
    Barrier,
    Single,
    Masked,
    Sections,
    Loop,
};

/* Places that tasks depend on, and kinds of dependences: in, out, inout, mutexinoutset. */
constexpr int PLACES = 4;
constexpr int ACCESSES = 4;
constexpr int MUTEXINOUTSET = 3;

struct Node;
using Block = std::vector<Node>;

struct Node {
    Kind kind;
    /* Tells it from others. */
    uint64_t salt;
    /* Which of two constructs of the kind in the source. */
    int site = 0;
    /* Threads, iterations. */
    int count = 0;
    /* Kind of schedule, or of a taskloop. */
    int flavour = 0;
    bool nowait = false;
    bool undeferred = false;
    bool final = false;
    std::vector<int> places[ACCESSES];
    std::vector<Block> bodies;
};

class Generator {
public:
    Generator(uint64_t seed, int threads)
        : random(seed), threads(threads), budget(4 + random.below(20) * random.below(20)) {}

    Block program() {
        Block block = this->block({true, 1, 1, 0});
        block.push_back(region({true, 1, 1, 0}));
        block.push_back(strand());
        return block;
    }

private:
    struct Where {
        /* The code of an implicit task, which all threads of its team execute. */
        bool of_all;
        /* Threads of all nested teams together. */
        int width;
        /* How often it is executed. */
        int times;
        int depth;
        Where inside() const { return {false, width, times, depth + 1}; }
    };

    Random random;
    int threads;
    int budget;

    Node node(Kind kind) {
        Node node;
        node.kind = kind;
        node.salt = random.bits();
        node.site = random.below(2);
        return node;
    }

    Node strand() { return node(Kind::Strand); }

    /* That of a task. libomp gives up the lock of a mutexinoutset when the task has ended that created the tasks: so one that
       creates such tasks waits for them. */
    Block task_block(const Where &where) {
        Block block = this->block(where);
        if (creates_exclusive_tasks(block))
            block.push_back(node(Kind::Taskwait));
        return block;
    }

    static bool creates_exclusive_tasks(const Block &block) {
        for (const Node &node : block) {
            if (!node.places[MUTEXINOUTSET].empty())
                return true;
            bool is_own_code = node.kind != Kind::Task && node.kind != Kind::DependentTask && node.kind != Kind::UntiedTask &&
                               node.kind != Kind::Taskloop && node.kind != Kind::Parallel;
            for (const Block &body : node.bodies)
                if (is_own_code && creates_exclusive_tasks(body))
                    return true;
        }
        return false;
    }

    Block block(const Where &where) {
        Block block;
        for (int i = random.below(6); i >= 0; i--) {
            block.push_back(strand());
            if (budget < where.times || where.depth > 5)
                break;
            budget -= where.times;
            block.push_back(construct(where));
        }
        block.push_back(strand());
        return block;
    }

    Node construct(const Where &where) {
        if (where.of_all && random.chance(40))
            return shared(where);
        int choice = random.below(100);
        if (choice < 25)
            return task(Kind::Task, where);
        if (choice < 47)
            return dependent(task(Kind::DependentTask, where));
        if (choice < 52) {
            Node untied = task(Kind::UntiedTask, where);
            untied.undeferred = untied.final = false;
            untied.bodies.push_back(task_block(where.inside()));
            return untied;
        }
        if (choice < 62)
            return node(Kind::Taskwait);
        if (choice < 67)
            return dependent(node(Kind::TaskwaitDepend));
        if (choice < 76) {
            Node group = node(Kind::Taskgroup);
            group.bodies.push_back(block(where.inside()));
            return group;
        }
        if (choice < 85)
            return taskloop(where);
        if (choice < 87)
            return node(Kind::Taskyield);
        if (choice < 90)
            return node(Kind::Critical);
        return region(where);
    }

    /* What all threads of a team come upon. */
    Node shared(const Where &where) {
        Where once = where.inside();
        int team = where.times;
        switch (random.below(6)) {
        case 0:
            return node(Kind::Barrier);
        case 1: {
            Node single = node(Kind::Single);
            single.nowait = random.chance(50);
            single.bodies.push_back(block(once));
            return single;
        }
        case 2: {
            Node masked = node(Kind::Masked);
            masked.bodies.push_back(block(once));
            return masked;
        }
        case 3: {
            Node sections = node(Kind::Sections);
            sections.nowait = random.chance(50);
            for (int i = 0; i < 3; i++)
                sections.bodies.push_back(block(once));
            return sections;
        }
        default: {
            Node loop = node(Kind::Loop);
            loop.nowait = random.chance(50);
            loop.count = random.below(7);
            loop.flavour = random.below(5);
            once.times = team + loop.count;
            loop.bodies.push_back(block(once));
            return loop;
        }
        }
    }

    Node task(Kind kind, const Where &where) {
        Node task = node(kind);
        task.undeferred = random.chance(12);
        task.final = random.chance(8);
        task.flavour = random.below(2);
        task.bodies.push_back(task_block(where.inside()));
        return task;
    }

    /* libomp does not tell the kind of a mutexinoutset for what is waited for at once. */
    Node dependent(Node node) {
        int kinds = node.kind == Kind::TaskwaitDepend || node.undeferred ? MUTEXINOUTSET : ACCESSES;
        for (int i = random.below(3); i >= 0; i--) {
            int kind = random.below(kinds);
            node.places[kind].push_back(random.below(PLACES));
        }
        return node;
    }

    Node taskloop(const Where &where) {
        Node loop = node(Kind::Taskloop);
        loop.count = 1 + random.below(6);
        loop.flavour = random.below(4);
        loop.undeferred = random.chance(12);
        loop.final = random.chance(8);
        Where inside = where.inside();
        inside.times *= loop.count;
        loop.bodies.push_back(task_block(inside));
        return loop;
    }

    Node region(const Where &where) {
        Node region = node(Kind::Parallel);
        int most = where.width == 1 ? threads : 3;
        region.count = 1 + random.below(most);
        if (where.width * region.count > 24)
            region.count = 1;
        Where inside = {true, where.width * region.count, where.times * region.count, where.depth + 1};
        region.bodies.push_back(block(inside));
        return region;
    }
};

#endif
