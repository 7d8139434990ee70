#include "base/on_threads.h"

#include <atomic>
#include <new>
#include <set>
#include <sys/resource.h>

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(OnThreads, SharesTheWork) {
  std::atomic<int> next = 0;
  std::atomic<int> done = 0;
  on_threads(4, [&] {
    while (next++ < 1000) ++done;
  });
  EXPECT_EQ(done, 1000);
}

TEST(OnThreads, ThrowsWhatAnyOfThemThrewOnceAllHaveEnded) {
  std::atomic<int> ended = 0;
  const auto caller = std::this_thread::get_id();
  EXPECT_THROW(on_threads(4,
                          [&] {
                            ++ended;
                            if (std::this_thread::get_id() != caller) throw std::bad_alloc();
                          }),
               std::bad_alloc);
  EXPECT_EQ(ended, 4);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKSTEP_UNDER_ASAN 1
#endif
#endif

#ifndef LOCKSTEP_UNDER_ASAN  // its runtime takes address space of its own, and gives up without
TEST(OnThreads, DoesWithoutThreadsThatTheSystemDoesNotGive) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit little{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};  // too little for a stack
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  std::atomic<int> ran = 0;
  on_threads(4, [&] { ++ran; });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_GE(ran, 1);
}
#endif

}  // namespace
}  // namespace lockstep::base
