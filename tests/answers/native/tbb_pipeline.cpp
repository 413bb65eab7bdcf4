// Situation: a pipeline whose output filter is serial and does most of the work.
// usage: tbb_pipeline serial|parallel
#include <cstdio>
#include <cstring>
#include <tbb/tbb.h>

static unsigned long work(unsigned long x, int rounds)
{
    for (int k = 0; k < rounds; k++)
        x = ((x << 9) | (x >> 55)) * 0xD6E8FEB86659FD93ul ^ 0x55;
    return x;
}

int main(int argc, char **argv)
{
    bool serial = argc < 2 || !strcmp(argv[1], "serial");
    unsigned long next = 0, sum = 0, count = serial ? 8000 : 12000;
    using tbb::filter_mode;
    auto read = tbb::make_filter<void, unsigned long>(filter_mode::serial_in_order, [&](tbb::flow_control &control) {
        if (next == count)
            control.stop();
        return next++;
    });
    auto parse = [](unsigned long x) { return work(x, 8000); };
    auto compress = [](unsigned long x) { return work(x, 40000); }; //@ here
    auto add = [&](unsigned long x) { sum ^= x; };
    auto write = tbb::make_filter<unsigned long, void>(filter_mode::serial_in_order, add);
    auto middle = tbb::make_filter<unsigned long, unsigned long>(filter_mode::parallel, parse);
    auto mode = serial ? filter_mode::serial_in_order : filter_mode::parallel;
    auto packer = tbb::make_filter<unsigned long, unsigned long>(mode, compress); //@ here
    tbb::parallel_pipeline(16, read & middle & packer & write); //@ here
    printf("%lu\n", sum);
}
