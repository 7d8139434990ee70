#include "base/guarded_mapping.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

constexpr std::size_t kPage = 4096;

// A file without a name, full of one letter.
class Letters {
 public:
  explicit Letters(std::size_t bytes) {
    std::string name = "/tmp/lockstep-guarded-XXXXXX";
    fd_ = ::mkstemp(name.data());
    ::unlink(name.c_str());
    const std::string content(bytes, 'x');
    EXPECT_EQ(::write(fd_, content.data(), content.size()), static_cast<ssize_t>(bytes));
  }
  ~Letters() { ::close(fd_); }
  Letters(const Letters&) = delete;
  Letters& operator=(const Letters&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::string_view text_at(void* place, std::size_t bytes) {
  return {static_cast<const char*>(place), bytes};
}

TEST(GuardedMapping, ReadsAsZerosWhatWasCutOff) {
  const Letters file(16 * kPage);
  void* const place = map_guarded(file.fd(), 0, 16 * kPage);
  ASSERT_NE(place, nullptr);
  EXPECT_FALSE(has_shrunk(place));
  ASSERT_EQ(::ftruncate(file.fd(), 3 * kPage), 0);
  const std::string_view text = text_at(place, 16 * kPage);
  EXPECT_EQ(std::ranges::count(text, 'x'), static_cast<std::ptrdiff_t>(3 * kPage));
  EXPECT_EQ(std::ranges::count(text, '\0'), static_cast<std::ptrdiff_t>(13 * kPage));
  EXPECT_TRUE(has_shrunk(place));
  unmap_guarded(place, 16 * kPage);
}

TEST(GuardedMapping, AnswersThreadsThatLookAtOnce) {
  const Letters file(256 * kPage);
  void* const place = map_guarded(file.fd(), kPage, 255 * kPage);
  ASSERT_NE(place, nullptr);
  ASSERT_EQ(::ftruncate(file.fd(), 0), 0);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([place] { EXPECT_EQ(std::ranges::count(text_at(place, 255 * kPage), 'x'), 0); });
  }
  threads.clear();
  unmap_guarded(place, 255 * kPage);
}

TEST(GuardedMapping, IsRefusedBeforeAProcessHasNoMappingLeft) {
  const Letters file(kPage);
  std::vector<void*> places;
  for (void* place = nullptr; (place = map_guarded(file.fd(), 0, kPage)) != nullptr;) places.push_back(place);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GT(places.size(), 1000U);
  EXPECT_LT(places.size(), 65530U / 2 + 10);
  unmap_guarded(places.back(), kPage);
  places.back() = map_guarded(file.fd(), 0, kPage);
  EXPECT_NE(places.back(), nullptr) << "a place that became free is used again";
  for (void* place : places) unmap_guarded(place, kPage);
}

// The first map_guarded of the new process sets the handler, and keeps what was there.
void begin_to_listen() {
  const Letters file(kPage);
  unmap_guarded(map_guarded(file.fd(), 0, kPage), kPage);
}

void listen_before(void (*listener)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = listener;
  action.sa_flags = flags;
  ::sigaction(SIGBUS, &action, nullptr);
}

TEST(GuardedMappingDeathTest, LeavesWhatWasSentToWhoListenedBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int flags : {0, SA_SIGINFO}) {
    EXPECT_EXIT((listen_before(SIG_DFL, flags), begin_to_listen(), ::raise(SIGBUS), ::_exit(0)),
                ::testing::KilledBySignal(SIGBUS), "");
    EXPECT_EXIT((listen_before(SIG_IGN, flags), begin_to_listen(), ::raise(SIGBUS), ::_exit(3)),
                ::testing::ExitedWithCode(3), "");
  }
  EXPECT_EXIT((listen_before([](int) { ::_exit(5); }, 0), begin_to_listen(), ::raise(SIGBUS), ::_exit(0)),
              ::testing::ExitedWithCode(5), "");
}

TEST(GuardedMappingDeathTest, LeavesFaultsOfOthersAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        listen_before(SIG_DFL, 0);  // sanitizers have a handler of their own
        begin_to_listen();
        const Letters file(kPage);
        const auto* const place =
            static_cast<const volatile char*>(::mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, file.fd(), 0));
        ::ftruncate(file.fd(), 0) == 0 ? ::_exit(*place) : ::_exit(0);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace lockstep::base
