// A potential of mean force: per frame a histogram in thread-local storage, then reduced into one.
#include <cmath>
#include <cstdio>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <vector>

constexpr size_t BINS = 1000000;
constexpr size_t POINTS = 1600;
constexpr int FRAMES = 20;

using Histogram = std::vector<double>;

class PMFT {
    tbb::enumerable_thread_specific<Histogram> m_local{[] { return Histogram(BINS, 0.0); }};
    Histogram m_histogram = Histogram(BINS, 0.0);

public:
    void accumulate(const std::vector<double> &x, const std::vector<double> &y)
    {
        tbb::parallel_for(tbb::blocked_range<size_t>(0, POINTS), [&](const tbb::blocked_range<size_t> &r) {
            Histogram &local = m_local.local();
            for (size_t i = r.begin(); i != r.end(); ++i)
                for (size_t j = 0; j < POINTS; ++j) {
                    double dx = x[j] - x[i], dy = y[j] - y[i];
                    double dist = std::sqrt(dx * dx + dy * dy), angle = std::atan2(dy, dx) + 3.1415927;
                    size_t bin = size_t(dist * 300) * 1000 + size_t(angle * 159);
                    if (bin < BINS)
                        local[bin] += 1.0 / (1.0 + dist);
                }
        });
    }

    void reduce() //@ here
    {
        for (Histogram &local : m_local)
            for (size_t b = 0; b < BINS; ++b) {
                m_histogram[b] += local[b];
                local[b] = 0.0;
            }
    }

    double norm() const
    {
        double sum = 0;
        for (double v : m_histogram)
            sum += v * v;
        return std::sqrt(sum);
    }
};

int main()
{
    PMFT pmft;
    std::vector<double> x(POINTS), y(POINTS);
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (size_t i = 0; i < POINTS; ++i) {
            x[i] = std::fmod(i * 0.7548776 + frame * 0.01, 2.0);
            y[i] = std::fmod(i * 0.5698402 + frame * 0.02, 2.0);
        }
        pmft.accumulate(x, y);
        pmft.reduce(); //@ here
    }
    std::printf("%.6f\n", pmft.norm());
}
