// kill -9 at random instants: every recording reads back to its last complete event, with nothing invented.
//
// The victim counts in shared memory each event that it has finished writing. After its death the file must
// hold, for each thread, exactly the events 0 .. n-1 with n no less than that count and at most one more.
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "record/definitions.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

constexpr int kKills = 600;
constexpr std::uint32_t kThreads = 2;

struct Progress {
  std::atomic<bool> is_open;
  std::array<std::atomic<std::uint64_t>, kThreads + 1> finished;  // by thread number, from 1
};

[[noreturn]] void write_until_killed(const std::string& path, std::uint32_t chunk_bytes, Progress& progress) {
  static recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.chunk_bytes = chunk_bytes;
  options.header_bytes = 4096;
  if (writer.open(options) != 0) ::_exit(1);
  progress.is_open.store(true);
  const auto write_as = [&progress](std::uint32_t thread) {
    recorder::Lane lane;
    writer.open_lane(lane, thread);
    for (std::uint64_t i = 0;; ++i) {
      const std::string name = "tensor " + std::to_string(i / 10);
      lane.write(numbered_call(thread, i, writer.intern_string(name.data(), name.size())));
      progress.finished[thread].store(i + 1);
      if (i > 200'000) ::pause();  // long past any instant at which it is killed
    }
  };
  std::thread second(write_as, 2);
  write_as(1);
  ::_exit(0);
}

// A third of the kills fall into the start of the writer, the others after a random number of events.
void wait_for_a_random_instant(const Progress& progress, std::mt19937_64& random) {
  if (random() % 3 == 0) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 1500);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return;
  }
  const std::uint64_t target = random() % 20'000;
  while (progress.finished[1].load() < target) std::this_thread::yield();
}

void expect_whole_prefixes(const std::string& path, const Progress& progress) {
  auto reader = record::Reader::open(path);
  if (!reader.ok()) {
    ASSERT_FALSE(progress.is_open.load()) << reader.error().why;
    return;
  }
  const auto definitions = record::Definitions::read(path);
  ASSERT_TRUE(definitions.ok());
  std::array<std::uint64_t, kThreads + 1> read{};
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type != LOCKSTEP_RECORD_CALL) continue;
    const auto* call = view->as<lockstep_call>();
    lockstep_call expected = numbered_call(view->thread, read.at(view->thread)++, call->name);
    expected.head = call->head;
    ASSERT_EQ(std::memcmp(call, &expected, sizeof expected), 0)
        << "thread " << view->thread << ", call " << call->sequence << " instead of " << expected.sequence
        << " at byte " << view->offset;
    if (call->name == 0) continue;  // a busy machine may leave a name out, never give a wrong one
    ASSERT_EQ(definitions.value().string(call->name), "tensor " + std::to_string(call->sequence / 10));
  }
  for (std::uint32_t thread = 1; thread <= kThreads; ++thread) {
    const std::uint64_t finished = progress.finished[thread].load();
    ASSERT_GE(read[thread], finished) << "events were lost";
    ASSERT_LE(read[thread], finished + 1) << "events were invented";
  }
  const record::ReadStats& stats = reader.value().stats();
  ASSERT_FALSE(stats.is_damaged());
  ASSERT_FALSE(stats.has_goodbye);
  ASSERT_LE(stats.unfinished_records, kThreads + 1) << "at most one for each thread, and one definition";
}

TEST(Kill, AtRandomInstantsLeavesEveryFinishedEventReadable) {
  std::mt19937_64 random(std::random_device{}());
  std::uint64_t events = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    const ScratchFolder folder;
    const std::string path = folder / "victim.lockstep";
    void* shared =
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto* progress = new (shared) Progress{};

    const pid_t victim = ::fork();
    ASSERT_GE(victim, 0);
    if (victim == 0) write_until_killed(path, kill % 2 == 0 ? 4096 : 65536, *progress);
    wait_for_a_random_instant(*progress, random);
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(victim, &status, 0), victim);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself";

    if (std::filesystem::exists(path)) expect_whole_prefixes(path, *progress);
    if (HasFatalFailure()) FAIL() << "kill number " << kill;
    events += progress->finished[1] + progress->finished[2];
    ::munmap(shared, sizeof(Progress));
  }
  std::printf("%d kills, %llu events finished before them\n", kKills,
              static_cast<unsigned long long>(events));
}

}  // namespace
}  // namespace lockstep::tests
