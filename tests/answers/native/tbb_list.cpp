// Situation: parallel_for_each over a std::list of cheap items: a task for each, fed by one thread.
// usage: tbb_list list|vector
#include <cmath>
#include <cstdio>
#include <cstring>
#include <list>
#include <tbb/tbb.h>
#include <vector>

static void relax(double &x)
{
    x = std::sqrt(x + 0.5);
}

int main(int argc, char **argv)
{
    double sum = 0;
    if (argc < 2 || !strcmp(argv[1], "list")) {
        std::list<double> particles(300000, 2.0);
        for (int step = 0; step < 12; step++)
            tbb::parallel_for_each(particles.begin(), particles.end(), relax); //@ here
        for (double x : particles)
            sum += x;
    } else {
        std::vector<double> particles(300000, 2.0);
        for (int step = 0; step < 1200; step++)
            tbb::parallel_for(tbb::blocked_range<size_t>(0, particles.size()), [&](auto &range) {
                for (size_t i = range.begin(); i < range.end(); i++)
                    relax(particles[i]);
            });
        for (double x : particles)
            sum += x;
    }
    printf("%g\n", sum);
}
