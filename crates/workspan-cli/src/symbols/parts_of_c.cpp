// A program that prints return addresses in the parts of functions that compilers make of OpenMP's constructs.
#include <cstdio>
#include <cstring>
#include <vector>

__attribute__((noinline)) static void site(const char *name) {
    std::printf("address %s %lx\n", name, (unsigned long)__builtin_return_address(0));
}

static int serial(int n) {
    int found = 0;
#pragma omp parallel num_threads(1)
    {
        site("region"); // mark: region
        found = n;
    }
    return found;
}

extern "C" int tasks(int n) {
#pragma omp parallel num_threads(1)
#pragma omp single
    {
#pragma omp task
        {
            site("task"); // mark: task
            n += 1;
        }
    }
    return n;
}

namespace app {
struct Grid {
    std::vector<double> cells;
    template <class F> void each(F f) {
#pragma omp parallel for num_threads(1)
        for (int i = 0; i < (int)cells.size(); i++)
            f(cells[i]);
    }
};
} // namespace app

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
    app::Grid grid{std::vector<double>(1)};
    grid.each([](double &cell) {
        site("lambda"); // mark: lambda
        cell = 1;
    });
    site("plain"); // mark: plain
    int sum = serial(3) + tasks(4);
    char line[4096];
    std::FILE *maps = std::fopen("/proc/self/maps", "r");
    while (std::fgets(line, sizeof line, maps)) {
        unsigned long start, end, offset;
        char permissions[8], path[4096] = "";
        std::sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, permissions, &offset, path);
        if (std::strchr(permissions, 'x') && path[0] == '/')
            std::printf("module %lx %lx %lx %s\n", start, end, offset, path);
    }
    return sum == 8 ? 0 : 1;
}
