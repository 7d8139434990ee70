// Payload of a window of steps: what is removed, what must stay, and how a replay goes on in the middle.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/payload.h"
#include "recorder/core/payload_index.h"
#include "recorder/core/payload_keeper.h"
#include "recorder/core/resumed_numbers.h"

namespace lockstep::recorder {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLarge = std::size_t{200} << 10;  // lies in a file of its own

class PayloadWindowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lockstep-window-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Its thread lives as long as the process, so it is never destroyed.
  PayloadKeeper& keeper(int rank, PayloadWindow window) const {
    auto* const made = new PayloadKeeper;
    const std::string base = file(rank).replace_extension().string();
    const std::string claims = (folder_ / ".shared").string();
    PayloadOptions options;
    options.base = base.c_str();
    options.claims_path = claims.c_str();
    options.rank = rank;
    options.world_size = 2;
    options.memory_bytes = std::size_t{64} << 20;
    options.window = window;
    EXPECT_EQ(made->open(options), 0);
    return *made;
  }
  fs::path file(int rank) const {
    return folder_ / ("rank_0000" + std::to_string(rank) + ".restart_0.payload");
  }
  std::uintmax_t blob_bytes() const {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".blobs") bytes += entry.file_size();
    }
    return bytes;
  }

  fs::path folder_;
};

PayloadKey all_reduce(std::uint64_t sequence) {
  return {7, sequence, -1, LOCKSTEP_OPERATION_AllReduce};
}

std::vector<char> content_of(std::uint64_t step) {
  std::vector<char> content(kLarge);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(step * 31 + i / 7);
  return content;
}

// A step of one call, whose number is that of the step.
void keep_step(PayloadKeeper& keeper, std::uint64_t step, const std::vector<char>& content) {
  const lockstep_piece piece{content.data(), content.size()};
  keeper.keep_input(all_reduce(step), &piece, 1);
  keeper.keep_output(all_reduce(step), &piece, 1, -1);
  keeper.keep_state(step, "", 0, nullptr, 0);
  keeper.drain();
}

int serve(const PayloadIndex& index, std::uint64_t sequence, std::vector<char>& room) {
  lockstep_served served{};
  const lockstep_room place{room.data(), room.size()};
  return index.serve(all_reduce(sequence), &place, 1, served);
}

TEST_F(PayloadWindowTest, LargeContentThatTwoRanksShareLiesOnceBesideTheEntries) {
  for (int rank : {0, 1}) keep_step(keeper(rank, {}), 1, content_of(1));
  EXPECT_EQ(blob_bytes(), kLarge);
  for (int rank : {0, 1}) {
    PayloadIndex index;
    ASSERT_EQ(index.open(folder_.c_str(), rank, 0), 0);
    std::vector<char> room(kLarge);
    EXPECT_EQ(serve(index, 1, room), LOCKSTEP_SERVED);
    EXPECT_EQ(room, content_of(1));
  }
}

TEST_F(PayloadWindowTest, ContentThatIsCutOffIsNotServedAndNotTold) {
  keep_step(keeper(0, {}), 1, content_of(1));
  EXPECT_EQ(record::read_payload(file(0)).value().blobs.size(), 1u);
  fs::resize_file(file(0).replace_extension(".blobs"), kLarge - 1);
  EXPECT_EQ(record::read_payload(file(0)).value().blobs.size(), 0u);
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<char> room(kLarge);
  EXPECT_EQ(serve(index, 1, room), LOCKSTEP_SERVE_NOT_KEPT);
}

TEST_F(PayloadWindowTest, OfTheLastStepsTheDiskHoldsABoundedNumber) {
  constexpr std::uint64_t kSteps = 8;
  constexpr std::uint64_t kEnd = 100;
  PayloadKeeper& kept = keeper(0, {kSteps, false});
  std::uintmax_t most = 0;
  for (std::uint64_t step = 1; step <= kEnd; ++step) {
    keep_step(kept, step, content_of(step));
    most = std::max(most, blob_bytes());
  }
  EXPECT_LE(most, (kSteps + 7) * kLarge);  // the first two steps, the window, and what is about to be removed
  const record::Payload payload = record::read_payload(file(0)).value();
  const std::uint64_t begin = record::window_begin(payload);
  EXPECT_GT(begin, kEnd - 2 * kSteps);
  EXPECT_LE(begin, kEnd - kSteps);
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<char> room(kLarge);
  EXPECT_EQ(serve(index, 1, room), LOCKSTEP_SERVED) << "how it began stays";
  EXPECT_EQ(serve(index, 50, room), LOCKSTEP_SERVE_UNKNOWN);
  for (std::uint64_t step = begin + 1; step <= kEnd; ++step) {
    EXPECT_EQ(serve(index, step, room), LOCKSTEP_SERVED) << step;
    EXPECT_EQ(room, content_of(step));
  }
}

TEST_F(PayloadWindowTest, WhatEveryStepGivesAndAllRanksShareStaysAsLongAsItIsNeeded) {
  PayloadKeeper& first = keeper(0, {4, false});
  PayloadKeeper& second = keeper(1, {4, false});
  for (std::uint64_t step = 1; step <= 30; ++step) {
    keep_step(first, step, content_of(1));
    keep_step(second, step, content_of(1));
  }
  EXPECT_LE(blob_bytes(), 9 * kLarge);
  for (int rank : {0, 1}) {
    PayloadIndex index;
    ASSERT_EQ(index.open(folder_.c_str(), rank, 0), 0);
    std::vector<char> room(kLarge);
    for (std::uint64_t step = 27; step <= 30; ++step) EXPECT_EQ(serve(index, step, room), LOCKSTEP_SERVED);
  }
}

TEST_F(PayloadWindowTest, ACheckpointOfOneRankLetsAllRemoveWhatCameBeforeTheOneBefore) {
  PayloadKeeper& first = keeper(0, {0, true});
  PayloadKeeper& second = keeper(1, {0, true});
  for (std::uint64_t step = 1; step <= 40; ++step) {
    keep_step(first, step, content_of(step));
    keep_step(second, step, content_of(step + 1000));
    if (step % 10 == 0) first.note_checkpoint("state.pt", 8);
  }
  keep_step(first, 41, content_of(41));
  keep_step(second, 41, content_of(1041));
  for (int rank : {0, 1}) {
    const record::Payload payload = record::read_payload(file(rank)).value();
    EXPECT_EQ(record::window_begin(payload), 30u) << rank;
  }
  const record::Payload saving = record::read_payload(file(0)).value();
  ASSERT_FALSE(saving.checkpoints.empty());
  EXPECT_EQ(saving.checkpoints.back().step, 40u);
  EXPECT_EQ(saving.checkpoints.back().path, "state.pt");
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 1, 0), 0);
  std::vector<char> room(kLarge);
  EXPECT_EQ(serve(index, 41, room), LOCKSTEP_SERVED);
  EXPECT_EQ(serve(index, 25, room), LOCKSTEP_SERVE_UNKNOWN);
}

TEST_F(PayloadWindowTest, AReplayThatResumesGoesOnAtTheFirstCallOfItsStep) {
  PayloadKeeper& kept = keeper(0, {4, false});
  for (std::uint64_t step = 1; step <= 20; ++step) keep_step(kept, step, content_of(step));
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  ResumedNumbers numbers;
  ASSERT_EQ(numbers.open(index, 17), 0);
  EXPECT_EQ(numbers.recorded(all_reduce(1)), 1u) << "before the loop";
  numbers.begin_loop();
  EXPECT_EQ(numbers.recorded(all_reduce(2)), 18u);
  EXPECT_EQ(numbers.recorded(all_reduce(3)), 19u);
  EXPECT_EQ(numbers.recorded({8, 1, -1, LOCKSTEP_OPERATION_AllReduce}), 1u)
      << "of a group that is not on record";
}

TEST_F(PayloadWindowTest, WhenOneRankStopsTheOthersOfItsHostStopToo) {
  PayloadKeeper& first = keeper(0, {});
  PayloadKeeper& second = keeper(1, {});
  keep_step(first, 1, content_of(1));
  keep_step(second, 1, content_of(1));
  keep_step(first, 2, std::vector<char>(std::size_t{128} << 20));  // more than its memory
  keep_step(second, 2, content_of(3));
  const record::Payload stopped = record::read_payload(file(1)).value();
  ASSERT_TRUE(stopped.stopped);
  EXPECT_EQ(stopped.stopped->step, 1u);
  EXPECT_FALSE(stopped.results.at(stopped.calls[1].key).is_kept);
}

}  // namespace
}  // namespace lockstep::recorder
