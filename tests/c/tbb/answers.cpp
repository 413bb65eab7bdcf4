#include "known.hpp"
#include <forward_list>
#include <iterator>
#include <list>
#include <numeric>
#include <oneapi/tbb/parallel_for.h>
#include <sstream>
#include <stdexcept>
#include <tbb/tbb.h>
#include <vector>
// That the answers are the real library's, and its ways, whether a profile is taken or not: every form of
// every call.
struct Sum {
    long s = 0;
    const std::vector<long> *v;
    Sum(const std::vector<long> *v) : v(v) {
    }
    Sum(Sum &o, tbb::split) : v(o.v) {
    }
    void operator()(const tbb::blocked_range<size_t> &r) {
        for (size_t i = r.begin(); i != r.end(); ++i)
            s += (*v)[i];
    }
    void join(Sum &o) {
        s += o.s;
    }
};
struct Scan {
    long s = 0;
    const std::vector<long> *v;
    std::vector<long> *o;
    Scan(const std::vector<long> *v, std::vector<long> *o) : v(v), o(o) {
    }
    Scan(Scan &b, tbb::split) : v(b.v), o(b.o) {
    }
    template <class T> void operator()(const tbb::blocked_range<size_t> &r, T) {
        for (size_t i = r.begin(); i != r.end(); ++i) {
            s += (*v)[i];
            if (T::is_final_scan())
                (*o)[i] = s;
        }
    }
    void reverse_join(Scan &a) {
        s = a.s + s;
    }
    void assign(Scan &b) {
        s = b.s;
    }
};
static std::atomic<long> fed_calls{0};
struct Fed {
    void operator()(int i, tbb::feeder<int> &f) const {
        fed_calls += 1;
        if (i > 0) {
            f.add(i - 1);
            int j = i - 1;
            f.add(j);
        }
    }
};
long fib(int k) {
    if (k < 2)
        return k;
    long a, b;
    tbb::task_group g;
    g.run([&] {
        a = fib(k - 1);
    });
    b = fib(k - 2);
    g.wait();
    return a + b;
}
static void all_forms() {
    std::vector<long> v(10000);
    std::iota(v.begin(), v.end(), 1);
    long want = 10000L * 10001 / 2;
    tbb::blocked_range<size_t> r(0, v.size(), 100);
    std::atomic<long> s{0};
    auto body = [&](const tbb::blocked_range<size_t> &r) {
        for (size_t i = r.begin(); i != r.end(); ++i)
            s += v[i];
    };
    tbb::affinity_partitioner ap;
    tbb::task_group_context ctx;
    tbb::parallel_for(r, body);
    tbb::parallel_for(r, body, tbb::simple_partitioner());
    tbb::parallel_for(r, body, tbb::auto_partitioner());
    tbb::parallel_for(r, body, tbb::static_partitioner());
    tbb::parallel_for(r, body, ap);
    tbb::parallel_for(r, body, ctx);
    tbb::parallel_for(r, body, tbb::simple_partitioner(), ctx);
    tbb::parallel_for(r, body, ap, ctx);
    CHECK(s == 8 * want);
    s = 0;
    oneapi::tbb::parallel_for(0, 10000, [&](int i) {
        s += v[i];
    });
    tbb::parallel_for(0, 10000, 2, [&](int i) {
        s += v[i];
    });
    tbb::parallel_for<size_t>(
        1, 10000, 2,
        [&](size_t i) {
            s += v[i];
        },
        tbb::static_partitioner());
    tbb::parallel_for(
        size_t(0), v.size(),
        [&](size_t i) {
            s += v[i];
        },
        ap);
    tbb::parallel_for(
        0, 10000, 1,
        [&](int i) {
            s += v[i];
        },
        ctx);
    tbb::parallel_for(
        0, 10000,
        [&](int i) {
            s += v[i];
        },
        tbb::simple_partitioner(), ctx);
    CHECK(s == 5 * want);
    parallel_for(r, body); // found by its arguments
    bool threw = false;
    try {
        tbb::parallel_for(0, 10, 0, [](int) {});
    } catch (std::invalid_argument &) {
        threw = true;
    }
    CHECK(threw);
    threw = false;
    try {
        tbb::parallel_for(0, 1000, [](int i) {
            if (i == 77)
                throw 5;
        });
    } catch (int e) {
        threw = e == 5;
    }
    CHECK(threw);
    {
        Sum b(&v);
        tbb::parallel_reduce(r, b);
        CHECK(b.s == want);
    }
    {
        Sum b(&v);
        tbb::parallel_reduce(r, b, tbb::simple_partitioner(), ctx);
        CHECK(b.s == want);
    }
    {
        Sum b(&v);
        tbb::parallel_deterministic_reduce(r, b, tbb::static_partitioner());
        CHECK(b.s == want);
    }
    auto f = [&](const tbb::blocked_range<size_t> &r, long x) {
        for (size_t i = r.begin(); i != r.end(); ++i)
            x += v[i];
        return x;
    };
    CHECK(tbb::parallel_reduce(r, 0L, f, std::plus<long>()) == want);
    CHECK(tbb::parallel_reduce(r, 0L, f, std::plus<long>(), ap, ctx) == want);
    CHECK(tbb::parallel_deterministic_reduce(r, 0L, f, std::plus<long>()) == want);
    CHECK(tbb::parallel_deterministic_reduce(r, 0L, f, std::plus<long>(), tbb::simple_partitioner()) == want);
    std::vector<long> o(v.size());
    {
        Scan b(&v, &o);
        tbb::parallel_scan(r, b);
        CHECK(b.s == want && o[9] == 55);
    }
    {
        Scan b(&v, &o);
        tbb::parallel_scan(r, b, tbb::simple_partitioner());
        CHECK(b.s == want);
    }
    long t = tbb::parallel_scan(
        r, 0L,
        [&](const tbb::blocked_range<size_t> &r, long x, bool fin) {
            for (size_t i = r.begin(); i != r.end(); ++i) {
                x += v[i];
                if (fin)
                    o[i] = x;
            }
            return x;
        },
        std::plus<long>());
    CHECK(t == want && o.back() == want);
    s = 0;
    tbb::parallel_for_each(v.begin(), v.end(), [&](long x) {
        s += x;
    });
    tbb::parallel_for_each(
        v,
        [&](long &x) {
            s += x;
        },
        ctx);
    std::list<long> l(v.begin(), v.begin() + 100);
    tbb::parallel_for_each(l, [&](const long &x) {
        s += x;
    });
    const auto &cv = v;
    tbb::parallel_for_each(cv, [&](long x) {
        s += x;
    });
    CHECK(s == 3 * want + 5050);
    std::istringstream in("1 2 3 4");
    s = 0;
    tbb::parallel_for_each(std::istream_iterator<int>(in), std::istream_iterator<int>(), [&](int x) {
        s += x;
    });
    CHECK(s == 10);
    {
        std::vector<int> q{3, 4};
        fed_calls = 0;
        tbb::parallel_for_each(q.begin(), q.end(), Fed());
        CHECK(fed_calls == 15 + 31);
    }
    {
        std::istringstream in("3 4");
        fed_calls = 0;
        tbb::parallel_for_each(std::istream_iterator<int>(in), std::istream_iterator<int>(), Fed());
        CHECK(fed_calls == 46);
    }
    {
        std::forward_list<int> q{3, 4};
        fed_calls = 0;
        tbb::parallel_for_each(q, [&](int &i, tbb::feeder<int> &f) {
            fed_calls += 1;
            if (i > 0)
                f.add(i - 1);
        });
        CHECK(fed_calls == 9);
    }
    s = 0;
    const auto one = [&] { s += 1; };
    const auto two = [&] { s += 2; };
    tbb::parallel_invoke(one, two);
    tbb::parallel_invoke(one, two, ctx);
    tbb::parallel_invoke(one, two, one, two, one, two, one, two, one, two, [&] { s += 100; });
    CHECK(s == 121);
    int i = 0;
    const auto next = [&](tbb::flow_control &fc) {
        if (++i > 100) {
            fc.stop();
            return 0;
        }
        return i;
    };
    {
        s = 0;
        tbb::parallel_pipeline(
            4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, next) &
                   tbb::make_filter<int, std::vector<int>>(tbb::filter_mode::parallel,
                                                           [](int x) {
                                                               return std::vector<int>(3, x);
                                                           }) &
                   tbb::make_filter<std::vector<int>, void>(tbb::filter_mode::serial_out_of_order,
                                                            [&](std::vector<int> x) {
                                                                s += x[2];
                                                            }));
        CHECK(s == 5050);
    }
    {
        i = 0;
        s = 0;
        tbb::filter<void, int> a(tbb::filter_mode::serial_in_order, next);
        auto b = tbb::make_filter(tbb::filter_mode::parallel, [&](int x) -> int {
            s += x;
            return x;
        });
        tbb::filter<int, void> z = tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {});
        tbb::parallel_pipeline(4, a, b, z);
        tbb::filter<void, int> ab = a & b;
        i = 0;
        tbb::parallel_pipeline(4, ab, z, ctx);
        CHECK(s == 10100);
    }
    {
        auto w = v;
        std::reverse(w.begin(), w.end());
        tbb::parallel_sort(w.begin(), w.end());
        CHECK(w == v);
        tbb::parallel_sort(w, std::greater<long>());
        CHECK(w[0] == 10000);
        tbb::parallel_sort(w);
        CHECK(w == v);
        tbb::parallel_sort(w.begin(), w.end(), std::less<long>());
        tbb::parallel_sort(&w[0], &w[0] + 600, std::greater<long>());
        CHECK(w[0] == 600);
    }
    CHECK(fib(8) == 21);
    {
        tbb::task_group g;
        s = 0;
        g.run([&] {
            s += 1;
        });
        auto h = g.defer([&] {
            s += 2;
        });
        g.run(std::move(h));
        CHECK(g.run_and_wait([&] {
            s += 4;
        }) == tbb::complete);
        CHECK(s == 7);
        g.run([] {
            throw 3;
        });
        threw = false;
        try {
            g.wait();
        } catch (int e) {
            threw = e == 3;
        }
        CHECK(threw);
        g.run([&] {
            s += 1;
        });
        g.cancel();
        CHECK(g.wait() == tbb::canceled);
    }
    threw = false;
    try {
        tbb::task_group g;
        for (int i = 0; i < 100; i++)
            g.run([&] {
                spin(0.1);
            });
    } catch (std::exception &) {
        threw = true;
    }
    CHECK(threw);
    {
        tbb::task_arena a(1);
        int x = a.execute([&] {
            tbb::parallel_for(0, 10, [&](int) {
                s += 1;
            });
            return 5;
        });
        CHECK(x == 5);
        std::atomic<bool> d{false};
        a.enqueue([&] {
            d = true;
        });
        while (!d)
            spin(1);
        tbb::task_arena b(tbb::task_arena::attach{});
        tbb::this_task_arena::isolate([&] {
            tbb::parallel_for(0, 10, [&](int) {
                s += 1;
            });
        });
        d = false;
        tbb::this_task_arena::enqueue([&] {
            d = true;
        });
        while (!d)
            spin(1);
        a.execute([] {});
        tbb::task_group g;
        a.enqueue(g.defer([&] {
            s += 1;
        }));
        g.wait();
        (void)tbb::this_task_arena::max_concurrency();
        (void)tbb::this_task_arena::current_thread_index();
    }
    {
        tbb::flow::graph g;
        tbb::flow::function_node<int> fn(g, 1, [&](int x) {
            s += x;
        });
        fn.try_put(3);
        g.wait_for_all();
    }
}
int main(int count, char **arguments) {
    const test all[] = {{"all_forms", all_forms}};
    return run_one(all, count, arguments);
}
