// My first TBB test: is the sum of a large array faster with parallel_reduce?
#include <cstdio>
#include <random>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <vector>

constexpr size_t MAX = 30000000;

struct SumFoo {
    const double *a;
    double sum = 0;
    explicit SumFoo(const double *array) : a(array) {}
    SumFoo(SumFoo &other, tbb::split) : a(other.a) {}
    void operator()(const tbb::blocked_range<size_t> &r)
    {
        const double *arr = a;
        for (size_t i = r.begin(); i != r.end(); ++i)
            sum += arr[i];
    }
    void join(const SumFoo &other) { sum += other.sum; }
};

static double parallel_sum(const double *a, size_t n, size_t grain)
{
    SumFoo foo(a);
    tbb::parallel_reduce(tbb::blocked_range<size_t>(0, n, grain), foo);
    return foo.sum;
}

static std::vector<double> random_array(size_t n)
{
    std::mt19937_64 gen(20080304);
    std::normal_distribution<double> dist(1.0, 0.2);
    std::vector<double> a(n);
    for (double &v : a)
        v = dist(gen);
    return a;
}

int main()
{
    std::vector<double> a = random_array(MAX); //@ here
    double sum = 0;
    for (int repeat = 0; repeat < 15; ++repeat)
        sum = parallel_sum(a.data(), a.size(), 10000);
    std::printf("sum %.3f\n", sum);
}
