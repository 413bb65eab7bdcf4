// A grain size "to keep the overhead low" that leaves two pieces of a loop of 3000 costly items.
#include <cmath>
#include <cstdio>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <vector>

static double item(int number) {
    double x = number;
    for (int i = 0; i < 20000; i++)
        x = std::sin(x + i);
    return x;
}

int main() {
    std::vector<double> results(3000);
    tbb::parallel_for( //@ here
        tbb::blocked_range<int>(0, 3000, 1500),
        [&](const tbb::blocked_range<int> &range) {
            for (int i = range.begin(); i != range.end(); ++i)
                results[i] = item(i);
        },
        tbb::simple_partitioner());
    std::printf("%f\n", results[2999]);
}
