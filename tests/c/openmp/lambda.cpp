/* C++: tasks in a template and in a lambda, and an exception inside a task.
 *
 * work 6 6 6
 * span 4 4 4
 * site gcc: task 13
 */
#include <stdexcept>

#include "spin.h"

template <typename Body> static void twice(Body body) {
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i)
        body(i);
    }
#pragma omp taskwait
}

int main() {
    int caught = 0;
#pragma omp parallel
#pragma omp single
    {
        twice([&](int i) {
            try {
                spin(i + 1);
                throw std::runtime_error("seen");
            } catch (const std::runtime_error &) {
#pragma omp atomic
                caught++;
            }
        });
        twice([](int i) { spin(1); (void)i; });
        spin(1);
    }
    return caught != 2;
}
