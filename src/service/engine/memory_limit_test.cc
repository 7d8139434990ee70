#include "service/engine/memory_limit.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

constexpr std::size_t kMebi = 1 << 20;

// A rank as its wrapper runs it, in a process of its own: it touches so much memory. Gives 1 when the kernel
// killed it, 2 when it was refused the memory, 0 when it got it.
int end_of_rank_that_takes(std::size_t bytes) {
  const pid_t wrapper = ::fork();
  if (wrapper == 0) {
    Plan plan;
    plan.job_id = "memory-limit-test-" + std::to_string(::getpid());
    plan.memory_per_worker = 64 * kMebi;
    int end = 0;
    {
      const MemoryLimit limit(plan, 0);
      const pid_t rank = ::fork();
      if (rank == 0) {
        auto* memory = static_cast<char*>(std::malloc(bytes));
        if (memory == nullptr) ::_exit(2);
        std::memset(memory, 1, bytes);
        ::_exit(memory[bytes / 2] == 1 ? 0 : 3);
      }
      limit.leave_to_rank();
      int state = 0;
      ::waitpid(rank, &state, 0);
      end = WIFSIGNALED(state) && limit.kill_in_words().has_value() ? 1 : WEXITSTATUS(state);
    }
    ::_exit(end);
  }
  int state = 0;
  ::waitpid(wrapper, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST(MemoryLimit, WhatIsBelowIsGiven) {
  EXPECT_EQ(end_of_rank_that_takes(8 * kMebi), 0);
}

TEST(MemoryLimit, WhatIsAboveIsNot) {
  const int end = end_of_rank_that_takes(256 * kMebi);
  EXPECT_TRUE(end == 1 || end == 2) << end;
}

TEST(MemoryLimit, IsToldInWords) {
  EXPECT_EQ(memory_in_words(std::int64_t{64} << 20), "64 MiB");
  EXPECT_EQ(memory_in_words(1'500'000), "1500000 bytes");
}

}  // namespace
}  // namespace lockstep::service
