// A record file followed while threads write it: everything comes once, in order, definitions before their
// use.
#include "record/follower.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "record/definitions.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

recorder::WriterOptions options_for(const std::string& path) {
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.chunk_bytes = 4096;
  options.header_bytes = 4096;
  return options;
}

class Followed {
 public:
  explicit Followed(const std::string& path) : follower_(std::move(record::Follower::open(path)).value()) {}

  void poll() {
    follower_.poll([this](const record::RecordView& view) { take(view); });
  }
  const std::map<std::uint32_t, std::vector<std::uint64_t>>& numbers() const { return numbers_; }
  bool has_goodbye() const { return has_goodbye_; }
  std::uint64_t missed_chunks() const { return follower_.missed_chunks(); }

 private:
  void take(const record::RecordView& view) {
    definitions_.add(view);
    if (view.type == LOCKSTEP_RECORD_END) has_goodbye_ = true;
    if (view.type != LOCKSTEP_RECORD_CALL) return;
    const auto* call = view.as<lockstep_call>();
    numbers_[view.thread].push_back(call->sequence);
    if (call->name == 0) return;
    EXPECT_EQ(definitions_.string(call->name), "tensor " + std::to_string(call->sequence % 500));
  }

  record::Follower follower_;
  record::Definitions definitions_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> numbers_;
  bool has_goodbye_ = false;
};

void write_calls(recorder::Writer& writer, std::uint32_t thread, std::uint64_t from, std::uint64_t to) {
  recorder::Lane lane;
  writer.open_lane(lane, thread);
  for (std::uint64_t i = from; i < to; ++i) {
    const std::string name = "tensor " + std::to_string(i % 500);
    lane.write(numbered_call(thread, i, writer.intern_string(name.data(), name.size())));
  }
  writer.close_lane(lane);
}

TEST(Follower, SeesEveryEventOnceWhileThreadsWrite) {
  constexpr std::uint32_t kThreads = 6;
  constexpr std::uint64_t kCalls = 20'000;
  const ScratchFolder folder;
  const std::string path = folder / "followed.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(options_for(path)), 0);
  Followed followed(path);
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    while (!is_done) followed.poll();
  });
  std::vector<std::thread> threads;
  for (std::uint32_t number = 1; number <= kThreads; ++number) {
    threads.emplace_back([&writer, number] {
      for (std::uint64_t i = 0; i < kCalls; i += 1000) write_calls(writer, number, i, i + 1000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(writer.dropped(), 0U);
  writer.close(0);
  is_done = true;
  reader.join();
  followed.poll();

  ASSERT_EQ(followed.numbers().size(), kThreads);
  for (const auto& [thread, numbers] : followed.numbers()) {
    ASSERT_EQ(numbers.size(), kCalls) << "thread " << thread;
    const std::set<std::uint64_t> distinct(numbers.begin(), numbers.end());
    EXPECT_EQ(distinct.size(), kCalls) << "thread " << thread;
  }
  EXPECT_TRUE(followed.has_goodbye());
}

TEST(Follower, GoesOnInAChunkThatOneThreadLeftToAnother) {
  const ScratchFolder folder;
  const std::string path = folder / "followed.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(options_for(path)), 0);
  Followed followed(path);
  write_calls(writer, 1, 0, 3);
  followed.poll();
  write_calls(writer, 2, 0, 3);
  write_calls(writer, 1, 3, 200);
  followed.poll();
  write_calls(writer, 2, 3, 6);
  followed.poll();
  EXPECT_EQ(followed.numbers().at(1).size(), 200U);
  EXPECT_EQ(followed.numbers().at(2).size(), 6U);
}

TEST(Follower, FollowsARingAroundAndAround) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  recorder::WriterOptions options = options_for(path);
  options.max_bytes = std::size_t{1} << 20;
  options.is_ring = true;
  recorder::Writer writer;
  ASSERT_EQ(writer.open(options), 0);
  recorder::Lane slow;
  writer.open_lane(slow, 2);
  slow.write(numbered_call(2, 0, 0));
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  Followed followed(path);
  constexpr std::uint64_t kCalls = 100'000;
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    lane.write(numbered_call(1, i, 0));
    if (i % 3000 == 0) followed.poll();
  }
  slow.write(numbered_call(2, 1, 0));
  followed.poll();
  ASSERT_EQ(followed.numbers().at(1).size(), kCalls);
  EXPECT_TRUE(std::ranges::is_sorted(followed.numbers().at(1)));
  EXPECT_EQ(followed.numbers().at(2).size(), 2U);
  EXPECT_EQ(followed.missed_chunks(), 0U);
  writer.close_lane(lane);
  writer.close_lane(slow);
}

TEST(Follower, CountsWhatARingOverwroteUnseen) {
  const ScratchFolder folder;
  const std::string path = folder / "ring.lockstep";
  recorder::WriterOptions options = options_for(path);
  options.max_bytes = std::size_t{1} << 20;
  options.is_ring = true;
  recorder::Writer writer;
  ASSERT_EQ(writer.open(options), 0);
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  Followed followed(path);
  for (std::uint64_t i = 0; i < 10'000; ++i) lane.write(numbered_call(1, i, 0));
  followed.poll();
  for (std::uint64_t i = 10'000; i < 100'000; ++i) lane.write(numbered_call(1, i, 0));
  followed.poll();
  EXPECT_GT(followed.missed_chunks(), 0U);
  EXPECT_EQ(*std::ranges::max_element(followed.numbers().at(1)), 99'999U);
  for (std::uint64_t i = 100'000; i < 103'000; ++i) lane.write(numbered_call(1, i, 0));
  followed.poll();
  EXPECT_EQ(*std::ranges::max_element(followed.numbers().at(1)), 102'999U) << "it goes on after a loss";
  writer.close_lane(lane);
}

std::vector<std::uint64_t> calls_in(std::unique_ptr<record::ByteSource> bytes, record::ReadStats& stats) {
  std::vector<std::uint64_t> numbers;
  auto reader = record::Reader::over(std::move(bytes), "tail");
  if (!reader.ok()) return numbers;
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type == LOCKSTEP_RECORD_CALL) numbers.push_back(view->as<lockstep_call>()->sequence);
  }
  stats = reader.value().stats();
  return numbers;
}

TEST(Follower, GivesTheNewestEventsAsARecordFile) {
  const ScratchFolder folder;
  const std::string path = folder / "followed.lockstep";
  recorder::Writer writer;
  ASSERT_EQ(writer.open(options_for(path)), 0);
  auto follower = std::move(record::Follower::open(path)).value();
  const auto ignore = [](const record::RecordView&) {};
  constexpr std::size_t kBudget = 64 * 1024;
  record::ReadStats stats;

  write_calls(writer, 1, 0, 100);
  follower.poll(ignore);
  EXPECT_EQ(calls_in(follower.tail(kBudget), stats).size(), 100U) << "all of a short one";
  EXPECT_EQ(stats.overwritten_chunks, 0U);

  write_calls(writer, 1, 100, 50'000);
  follower.poll(ignore);
  const std::vector<std::uint64_t> newest = calls_in(follower.tail(kBudget), stats);
  EXPECT_EQ(newest.back(), 49'999U);
  EXPECT_EQ(newest.back() - newest.front() + 1, newest.size()) << "no gap";
  EXPECT_LE(newest.size() * sizeof(lockstep_call), kBudget);
  EXPECT_GT(stats.overwritten_chunks, 0U) << "it says that there was more";
  EXPECT_FALSE(stats.is_damaged());
  writer.close(0);
  follower.poll(ignore);
  calls_in(follower.tail(kBudget), stats);
  EXPECT_TRUE(stats.has_goodbye);
  EXPECT_FALSE(stats.is_damaged()) << "what the goodbye counts is not missing";
}

TEST(Follower, RefusesAFileWithoutAHeaderForNow) {
  const ScratchFolder folder;
  const std::string path = folder / "empty.lockstep";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  EXPECT_FALSE(record::Follower::open(path).ok());
}

}  // namespace
}  // namespace lockstep::tests
