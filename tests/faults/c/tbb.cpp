// Programs of oneTBB that profiling must not change: `tbb NAME`.
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

static long some() {
    std::atomic<long> sum{0};
    tbb::parallel_for(0, 1000, [&](int i) { sum += i % 7; });
    tbb::task_group group;
    for (int i = 0; i < 50; i++)
        group.run([&sum, i] { sum += i; });
    group.wait();
    return sum;
}

int main(int count, char **arguments) {
    std::string name = count > 1 ? arguments[1] : "work";
    std::printf("%ld\n", some());
    if (name == "exit")
        std::exit(3);
    if (name == "exception") {
        try {
            tbb::parallel_for(0, 1000, [](int i) {
                if (i == 700)
                    throw std::runtime_error("item 700");
            });
        } catch (const std::exception &error) {
            std::printf("caught %s, %ld\n", error.what(), some());
        }
    }
    if (name == "uncaught") {
        std::fflush(stdout);
        throw std::runtime_error("uncaught");
    }
    if (name == "pthread-exit") {
        std::thread([] {
            usleep(20000);
            std::printf("thread %ld\n", some());
        }).detach();
        pthread_exit(nullptr);
    }
    if (name == "raise") {
        std::fflush(stdout);
        kill(getpid(), std::atoi(arguments[2]));
        sleep(5);
    }
}
