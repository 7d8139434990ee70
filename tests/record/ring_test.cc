// A ring keeps the newest events in a file that does not grow, and is readable at every instant: while its
// job runs, after its end and after kill -9.
#include <atomic>
#include <cstring>
#include <map>
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

constexpr std::size_t kRingBytes = std::size_t{1} << 20;

recorder::WriterOptions ring_options(const std::string& path, std::uint32_t chunk_bytes = 16384) {
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.chunk_bytes = chunk_bytes;
  options.header_bytes = 4096;
  options.max_bytes = kRingBytes;
  options.is_ring = true;
  return options;
}

struct Kept {
  std::map<std::uint32_t, std::vector<std::uint64_t>> numbers;  // of the calls, by thread
  record::ReadStats stats;
};

Kept read_ring(const std::string& path) {
  Kept kept;
  auto reader = record::Reader::open(path);
  if (!reader.ok()) return kept;
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type != LOCKSTEP_RECORD_CALL) continue;
    const auto* call = view->as<lockstep_call>();
    lockstep_call expected = numbered_call(view->thread, call->sequence, call->name);
    expected.head = call->head;
    EXPECT_EQ(std::memcmp(call, &expected, sizeof expected), 0) << "a record that nobody wrote";
    kept.numbers[view->thread].push_back(call->sequence);
  }
  kept.stats = reader.value().stats();
  return kept;
}

void expect_rising(const Kept& kept) {
  for (const auto& [thread, numbers] : kept.numbers) {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      ASSERT_GT(numbers[i], numbers[i - 1]) << "thread " << thread << " out of order";
    }
  }
}

TEST(Ring, KeepsTheNewestEventsInAFileThatDoesNotGrow) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  constexpr std::uint64_t kCalls = 100'000;
  recorder::Writer writer;
  ASSERT_EQ(writer.open(ring_options(path)), 0);
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  const std::string name = "defined at the start";
  const std::uint32_t id = writer.intern_string(name.data(), name.size());
  for (std::uint64_t i = 0; i < kCalls; ++i) lane.write(numbered_call(1, i, id));
  writer.close_lane(lane);
  EXPECT_EQ(writer.dropped(), 0U);
  writer.close(0);

  EXPECT_LE(std::filesystem::file_size(path), kRingBytes);
  const Kept kept = read_ring(path);
  const std::vector<std::uint64_t>& numbers = kept.numbers.at(1);
  EXPECT_EQ(numbers.back(), kCalls - 1);
  EXPECT_EQ(numbers.back() - numbers.front() + 1, numbers.size()) << "no gap";
  EXPECT_GT(numbers.size() * sizeof(lockstep_call), kRingBytes / 2);
  EXPECT_FALSE(kept.stats.is_damaged());
  EXPECT_TRUE(kept.stats.has_goodbye);
  EXPECT_GT(kept.stats.overwritten_chunks, 0U);
  EXPECT_EQ(record::Definitions::read(path).value().string(id), name) << "definitions are kept";
}

TEST(Ring, LeavesASlowThreadItsChunk) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(ring_options(path)), 0);
  recorder::Lane slow;
  recorder::Lane fast;
  writer.open_lane(slow, 1);
  writer.open_lane(fast, 2);
  slow.write(numbered_call(1, 0, 0));
  for (std::uint64_t i = 0; i < 100'000; ++i) fast.write(numbered_call(2, i, 0));
  slow.write(numbered_call(1, 1, 0));
  writer.close_lane(slow);
  writer.close_lane(fast);
  writer.close(0);
  const Kept kept = read_ring(path);
  EXPECT_EQ(kept.numbers.at(1), (std::vector<std::uint64_t>{0, 1}));
}

TEST(Ring, DefinitionsLeaveHalfOfItToTheEvents) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(ring_options(path)), 0);
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  std::uint32_t last_id = 1;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::string name = "a name that is used for one call only, number " + std::to_string(i);
    last_id = writer.intern_string(name.data(), name.size());
    lane.write(numbered_call(1, i, last_id));
  }
  writer.close_lane(lane);
  writer.close(0);
  EXPECT_EQ(last_id, 0U);
  const Kept kept = read_ring(path);
  EXPECT_EQ(kept.numbers.at(1).back(), 19'999U);
  EXPECT_GT(kept.numbers.at(1).size() * sizeof(lockstep_call), kRingBytes / 3);
}

// Cut anywhere, or with any chunk zeroed, a ring gives what is left of it, in order.
TEST(Ring, IsReadableWhenPartsOfItAreMissing) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(ring_options(path, 4096)), 0);
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  for (std::uint64_t i = 0; i < 30'000; ++i) lane.write(numbered_call(1, i, 0));
  writer.close_lane(lane);
  writer.close(0);
  const std::size_t whole = read_ring(path).numbers.at(1).size();
  const std::uint64_t bytes = std::filesystem::file_size(path);
  for (std::uint64_t length = 4096 + 777; length < bytes; length += 20'001) {
    const std::string cut = folder / "cut.lockstep";
    std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, length);
    const Kept kept = read_ring(cut);
    expect_rising(kept);
    EXPECT_TRUE(kept.stats.is_damaged());
    std::filesystem::resize_file(cut, bytes);  // the rest is zeros now
    const Kept zeroed = read_ring(cut);
    expect_rising(zeroed);
    const auto left = zeroed.numbers.find(1);
    EXPECT_LT(left == zeroed.numbers.end() ? 0 : left->second.size(), whole);
  }
}

[[noreturn]] void write_for_ever(const std::string& path, std::atomic<std::uint64_t>& written) {
  static recorder::Writer writer;
  if (writer.open(ring_options(path, 4096)) != 0) ::_exit(1);
  const auto write_as = [&written](std::uint32_t thread) {
    recorder::Lane lane;
    writer.open_lane(lane, thread);
    for (std::uint64_t i = 0;; ++i) {
      lane.write(numbered_call(thread, i, 0));
      if (thread == 1) written.store(i + 1);
    }
  };
  std::thread second(write_as, 2);
  write_as(1);
  ::_exit(0);
}

// One victim is read again and again while it writes as fast as it can, then killed and read once more.
TEST(Ring, IsReadableWhileItIsOverwrittenAndAfterKill) {
  std::uint64_t events_seen = 0;
  for (int round = 0; round < 10; ++round) {
    const ScratchFolder folder;
    const std::string path = folder / "ring.lockstep";
    void* shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto* written = new (shared) std::atomic<std::uint64_t>{0};
    const pid_t victim = ::fork();
    ASSERT_GE(victim, 0);
    if (victim == 0) write_for_ever(path, *written);
    while (written->load() < 50'000) std::this_thread::yield();
    for (int look = 0; look < 20; ++look) {
      const std::uint64_t before = written->load();
      const Kept kept = read_ring(path);
      expect_rising(kept);
      EXPECT_EQ(kept.stats.damaged_chunks, 0U) << "a chunk that was overwritten meanwhile is not damage";
      events_seen += kept.stats.records;  // none when the writer went all round meanwhile
      while (written->load() < before + 5'000) std::this_thread::yield();
    }
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(victim, &status, 0), victim);
    ASSERT_TRUE(WIFSIGNALED(status));

    const Kept kept = read_ring(path);
    expect_rising(kept);
    EXPECT_FALSE(kept.stats.is_damaged());
    EXPECT_FALSE(kept.stats.has_goodbye);
    ASSERT_FALSE(kept.numbers.at(1).empty());
    const std::uint64_t last = kept.numbers.at(1).back() + 1;
    EXPECT_GE(last, written->load());
    EXPECT_LE(last, written->load() + 1);
    ::munmap(shared, 4096);
  }
  EXPECT_GT(events_seen, 0U);
}

}  // namespace
}  // namespace lockstep::tests
