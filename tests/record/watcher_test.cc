// The watcher over record files that this process writes as several ranks: what it says, and that it keeps
// still.
#include "run/watch/watcher.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/recorder.h"

#include "record/recording.h"
#include "run/watch/rank_process.h"
#include "run/watch/set_up_watch.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kWorld = 4;

class SimulatedRank {
 public:
  SimulatedRank(const std::filesystem::path& folder, int rank, int world = kWorld) : world_(world) {
    const std::string path = folder / record::rank_file_name(rank, 0);
    recorder::WriterOptions options;
    options.path = path.c_str();
    options.chunk_bytes = 4096;
    options.header_bytes = 4096;
    options.rank = rank;
    options.world_size = world;
    EXPECT_EQ(writer_.open(options), 0);
    writer_.open_lane(lane_, 1);
  }

  void begin(const std::string& group, std::uint64_t number, std::uint8_t operation,
             std::uint64_t bytes = 4096) {
    lockstep_call call{};
    call.time_ns = now_ns();
    call.sequence = number;
    call.communicator = communicator(group);
    call.operation = operation;
    call.data_type = LOCKSTEP_DATA_TYPE_Float32;
    call.peer = -1;
    call.payload_bytes = bytes;
    lane_.write(call);
  }
  void end(const std::string& group, std::uint64_t number, std::uint8_t operation) {
    lockstep_done done{};
    done.time_ns = now_ns();
    done.sequence = number;
    done.communicator = communicator(group);
    done.operation = operation;
    done.status = LOCKSTEP_DONE_COMPLETED;
    done.peer = -1;
    lane_.write(done);
  }
  void note(const std::string& text) { tell("python adapter", text); }
  void tell(std::string_view key, const std::string& text) {
    writer_.write_attribute(writer_.intern_string(key.data(), key.size()),
                            writer_.intern_string(text.data(), text.size()));
  }
  void say_goodbye() { writer_.close(0); }

 private:
  static std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  }
  std::uint32_t communicator(const std::string& name) {
    lockstep_communicator facts{};
    facts.name = writer_.intern_string(name.data(), name.size());
    facts.size = static_cast<std::uint32_t>(world_);
    facts.run_count = 1;
    const lockstep_rank_run all{.first = 0, .step = 1, .count = static_cast<std::uint32_t>(world_)};
    return writer_.intern_communicator(facts, &all);
  }

  int world_;
  recorder::Writer writer_;
  recorder::Lane lane_;
};

constexpr std::uint8_t kAllReduce = LOCKSTEP_OPERATION_AllReduce;
constexpr std::uint8_t kBarrier = LOCKSTEP_OPERATION_Barrier;

class WatchedJob : public testing::Test {
 protected:
  WatchedJob()
      : folder_(scratch_ / "recording"),
        watcher_(folder_, [this] { return clock_ ? *clock_ : Clock::now(); }) {
    EXPECT_TRUE(record::create_recording(folder_, {}).ok());
    for (int rank = 0; rank < kWorld; ++rank)
      ranks_.push_back(std::make_unique<SimulatedRank>(folder_, rank));
    for (std::uint64_t number = 1; number <= 30; ++number) {
      for (auto& rank : ranks_) rank->begin("world", number, kAllReduce);
      for (auto& rank : ranks_) rank->end("world", number, kAllReduce);
    }
  }

  // As the host of that rank does.
  void report_process(int rank, char state) const {
    const auto file = watch::remote_process_file(folder_ / record::rank_file_name(rank, 0));
    std::ofstream(file) << watch::encode({.state = state});
  }

  void wait_for_rank_2() {
    for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  }

  std::vector<watch::Notice> watch_for(Clock::duration time) {
    std::vector<watch::Notice> notices;
    for (const auto end = Clock::now() + time; Clock::now() < end && notices.empty();) {
      notices = watcher_.tick();
      std::this_thread::sleep_for(20ms);
    }
    return notices;
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_;
  std::vector<std::unique_ptr<SimulatedRank>> ranks_;
  std::optional<Clock::time_point> clock_;  // the watcher's; empty: it goes as it does
  watch::Watcher watcher_;
};

TEST_F(WatchedJob, IsLeftInPeaceWhileRanksWaitAShortTime) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  EXPECT_TRUE(watch_for(1500ms).empty());
  EXPECT_TRUE(watcher_.findings().empty());
}

TEST_F(WatchedJob, ARankThatEndedIsNamedAtOnce) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  ranks_[2]->say_goodbye();
  const auto notices = watch_for(10s);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, watch::Kind::kDecided);
  EXPECT_EQ(notices[0].finding.code, "desync.ended_early");
  EXPECT_EQ(notices[0].finding.root_ranks, std::vector<int>{2});
  EXPECT_TRUE(watch_for(300ms).empty()) << "it is said once";
  EXPECT_EQ(watcher_.findings().size(), 1U);
}

TEST_F(WatchedJob, AStoppedRankIsNamedThoughItSpokeAMomentAgo) {
  report_process(2, 'T');
  for (auto& rank : ranks_) rank->begin("world", 31, kAllReduce);
  for (const int rank : {0, 1, 3}) {
    ranks_[static_cast<std::size_t>(rank)]->end("world", 31, kAllReduce);
    ranks_[static_cast<std::size_t>(rank)]->begin("world", 32, kAllReduce);
  }
  std::this_thread::sleep_for(250ms);
  ranks_[2]->end("world", 31, kAllReduce);
  const auto notices = watch_for(10s);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, watch::Kind::kDecided);
  EXPECT_EQ(notices[0].finding.code, "desync.stopped_rank");
}

TEST_F(WatchedJob, ALateRankIsNamedAgainWhenItIsStopped) {
  report_process(2, 'S');
  wait_for_rank_2();
  const auto late = watch_for(90s);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].kind, watch::Kind::kLate);
  report_process(2, 'T');
  const auto notices = watch_for(10s);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, watch::Kind::kDecided);
}

TEST_F(WatchedJob, ALateRankHangsInTheEnd) {
  report_process(2, 'S');
  wait_for_rank_2();
  const auto late = watch_for(90s);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_TRUE(late[0].finding.title.starts_with("Rank 2 is late: ranks 0-1 and 3 have waited 2"))
      << late[0].finding.title;
  clock_ = late[0].since + 44s;
  EXPECT_TRUE(watcher_.tick().empty());
  clock_ = late[0].since + 45s;
  const auto notices = watcher_.tick();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, watch::Kind::kHung);
}

TEST_F(WatchedJob, CallsThatDoNotFitWaitForThoseOnTheirWay) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  ranks_[2]->begin("world", 31, kBarrier);
  const Clock::time_point begin = Clock::now();
  clock_ = begin;
  EXPECT_TRUE(watcher_.tick().empty());
  std::this_thread::sleep_for(250ms);
  clock_ = begin + 299ms;
  EXPECT_TRUE(watcher_.tick().empty());
  clock_ = begin + 300ms;
  EXPECT_EQ(watcher_.tick().size(), 1U);
}

TEST_F(WatchedJob, KeepsTheNewestCallsThatNeverEnd) {
  for (std::uint64_t number = 31; number <= 31 + 5000; ++number)
    ranks_[0]->begin("world", number, kAllReduce);
  watcher_.follow();
  ASSERT_EQ(watcher_.job().rank(0)->open_calls().size(), 4096U);
  EXPECT_EQ(watcher_.job().rank(0)->open_calls().back().sequence, 5031U);
}

TEST_F(WatchedJob, KeepsAFewNotes) {
  for (int number = 0; number < 20; ++number) ranks_[0]->note("no hook " + std::to_string(number));
  watcher_.follow();
  EXPECT_EQ(watcher_.job().rank(0)->adapter_notes().size(), 16U);
}

// Ranks that have begun and called nothing.
class UnmetJob {
 public:
  explicit UnmetJob(const std::filesystem::path& folder) : folder_(folder) {
    EXPECT_TRUE(record::create_recording(folder, {}).ok());
  }
  void begin(int rank, int world, const std::string& place) {
    ranks_.push_back(std::make_unique<SimulatedRank>(folder_, rank, world));
    ranks_.back()->tell("meeting place", place);
  }
  void look() {
    if (job_ == nullptr) job_ = std::make_unique<watch::LiveJob>(folder_);
    job_->poll();
    watch::SetUpFaults found = watch_.look(*job_);
    if (!found.decided.empty()) decided = found.decided.front();
    said_late = said_late || !found.late.empty();
  }

  std::optional<model::Finding> decided;
  bool said_late = false;

 private:
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<SimulatedRank>> ranks_;
  std::unique_ptr<watch::LiveJob> job_;
  watch::SetUpWatch watch_;
};

TEST(SetUpWatch, SaysWhoWasNotStarted) {
  const ScratchFolder scratch;
  UnmetJob here(scratch / "here");
  UnmetJob elsewhere(scratch / "elsewhere");
  UnmetJob other_port(scratch / "other_port");
  UnmetJob complete(scratch / "complete");
  for (const int rank : {0, 1}) {
    here.begin(rank, 3, "127.0.0.1:29500");
    elsewhere.begin(rank, 3, "10.0.0.7:29500");
    other_port.begin(rank, 2, rank == 0 ? "10.0.0.7:29500" : "10.0.0.7:29501");
    complete.begin(rank, 2, "127.0.0.1:29500");
  }
  for (const auto end = Clock::now() + 30s; Clock::now() < end && !(here.decided && other_port.decided);) {
    for (UnmetJob* job : {&here, &elsewhere, &other_port, &complete}) job->look();
    std::this_thread::sleep_for(100ms);
  }
  ASSERT_TRUE(here.decided);
  EXPECT_EQ(here.decided->code, "setup.rank_not_started");
  EXPECT_EQ(here.decided->root_ranks, std::vector<int>{2});
  ASSERT_TRUE(other_port.decided);
  EXPECT_EQ(other_port.decided->code, "setup.ranks_disagree");
  EXPECT_EQ(other_port.decided->root_ranks, std::vector<int>{1});
  EXPECT_FALSE(elsewhere.decided) << "it may come from another host";
  EXPECT_FALSE(complete.decided || complete.said_late);
}

TEST(Suspicion, AsksSomeOfThousands) {
  const ScratchFolder scratch;
  for (const auto& [lost, is_seen] : {std::pair(60, true), std::pair(70, false)}) {
    const std::filesystem::path folder = scratch / (is_seen ? "near" : "far");
    ASSERT_TRUE(record::create_recording(folder, {}).ok());
    SimulatedRank first(folder, 0, 100);
    SimulatedRank ended(folder, lost, 100);
    first.begin("world", 1, kAllReduce);
    ended.say_goodbye();
    watch::LiveJob job(folder);
    std::this_thread::sleep_for(400ms);
    job.poll();
    EXPECT_EQ(watch::Suspicions().look(job).is_decided, is_seen)
        << "rank " << lost << " of 1 to 99 that are missing";
  }
}

TEST_F(WatchedJob, WhatOtherHostsTellLaterCountsForTheFirstLoss) {
  report_process(0, watch::RemoteProcess::kEnded);
  ranks_[0]->begin("world", 31, kAllReduce);
  watcher_.tick();
  ASSERT_EQ(watcher_.first_loss().size(), 1U);
  EXPECT_NE(watcher_.first_loss()[0].code, "mismatch.shape");
  for (const int rank : {1, 2, 3})
    ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce, 8192);
  watcher_.follow();
  watcher_.review_first_loss();
  ASSERT_EQ(watcher_.first_loss().size(), 1U);
  EXPECT_EQ(watcher_.first_loss()[0].code, "mismatch.shape");
}

TEST_F(WatchedJob, CallsThatDoNotFitAreNamedAtOnce) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  ranks_[2]->begin("world", 31, kBarrier);
  const auto notices = watch_for(10s);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].finding.code, "mismatch.operation");
  EXPECT_EQ(notices[0].finding.root_ranks, std::vector<int>{2});
}

TEST_F(WatchedJob, ACircleIsNamedAtOnce) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("first", 1, kAllReduce);
  ranks_[2]->begin("second", 1, kAllReduce);
  const auto notices = watch_for(10s);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, watch::Kind::kDecided);
  EXPECT_EQ(notices[0].finding.code, "deadlock.order_inversion");
}

TEST_F(WatchedJob, ShowsWhoWaitsForWhom) {
  for (const int rank : {0, 1, 3}) ranks_[static_cast<std::size_t>(rank)]->begin("world", 31, kAllReduce);
  std::this_thread::sleep_for(600ms);
  watcher_.tick();
  const watch::Snapshot snapshot = watcher_.job().snapshot();
  ASSERT_EQ(snapshot.ranks.size(), 4U);
  EXPECT_EQ(snapshot.ranks[0].state, watch::RankState::kWaiting);
  EXPECT_EQ(snapshot.ranks[0].waits_for, std::vector<int>{2});
  EXPECT_EQ(snapshot.ranks[0].doing, "all_reduce 31 in world");
  EXPECT_EQ(snapshot.ranks[2].state, watch::RankState::kLate);
  EXPECT_EQ(snapshot.ranks[2].calls, 30U);
  EXPECT_FALSE(snapshot.is_over);
}

TEST_F(WatchedJob, ShowsAStoppedRankOnceItIsQuiet) {
  report_process(2, 'T');
  watcher_.follow();
  std::this_thread::sleep_for(600ms);
  watcher_.follow();
  EXPECT_EQ(watcher_.job().snapshot().ranks[2].state, watch::RankState::kStopped);
}

}  // namespace
}  // namespace lockstep::tests
