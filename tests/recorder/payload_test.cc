// Both sides of the payload: what the recorder keeps, a replay gets back and the tool reads.
#include "record/payload.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "recorder/core/payload_index.h"
#include "recorder/core/payload_keeper.h"

namespace lockstep::recorder {
namespace {

namespace fs = std::filesystem;

class PayloadTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lockstep-payload-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    claims_ = (folder_ / ".shared").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(int rank) const {
    return folder_ / ("rank_0000" + std::to_string(rank) + ".restart_0.payload");
  }
  void open(PayloadKeeper& keeper, int rank) const {
    const std::string base = file(rank).replace_extension().string();
    PayloadOptions options;
    options.base = base.c_str();
    options.claims_path = claims_.c_str();
    options.rank = rank;
    options.world_size = 2;
    options.memory_bytes = 1;  // the least
    ASSERT_EQ(keeper.open(options), 0);
  }
  std::string bytes_of(int rank) const {
    std::ifstream in(file(rank), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  std::string claims_;
};

// Its thread lives as long as the process, so it is never destroyed.
PayloadKeeper& new_keeper() {
  return *new PayloadKeeper;
}

PayloadKey all_reduce(std::uint64_t sequence) {
  return {7, sequence, -1, LOCKSTEP_OPERATION_AllReduce};
}

lockstep_piece piece_of(const std::vector<float>& values) {
  return {values.data(), values.size() * sizeof(float)};
}

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void keep(PayloadKeeper& keeper, const PayloadKey& key, const std::vector<float>& in,
          const std::vector<float>& out) {
  const lockstep_piece given = piece_of(in);
  const lockstep_piece got = piece_of(out);
  keeper.keep_input(key, &given, 1);
  keeper.keep_output(key, &got, 1, -1);
}

int serve(const PayloadIndex& index, const PayloadKey& key, std::vector<float>& room) {
  lockstep_served served{};
  const lockstep_room place{room.data(), room.size() * sizeof(float)};
  return index.serve(key, &place, 1, served);
}

TEST_F(PayloadTest, AReplayGetsBackWhatWasKept) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keep(keeper, all_reduce(1), numbers(100, 0), numbers(100, 1));
  keep(keeper, all_reduce(2), numbers(3, 0), numbers(3, 5));
  keeper.drain();
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<float> room(3);
  EXPECT_EQ(serve(index, all_reduce(2), room), LOCKSTEP_SERVED);
  EXPECT_EQ(room, numbers(3, 5));
  EXPECT_EQ(serve(index, all_reduce(1), room), LOCKSTEP_SERVE_MISFIT);
  EXPECT_EQ(serve(index, all_reduce(3), room), LOCKSTEP_SERVE_UNKNOWN);
  PayloadKey other = all_reduce(2);
  other.operation = LOCKSTEP_OPERATION_Broadcast;
  EXPECT_EQ(serve(index, other, room), LOCKSTEP_SERVE_UNKNOWN);
}

TEST_F(PayloadTest, TheSizeOfAnOutputIsToldBeforeItIsServed) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keep(keeper, all_reduce(1), numbers(2, 0), numbers(5, 1));
  const lockstep_piece nothing{nullptr, 0};
  keeper.keep_input(all_reduce(2), &nothing, 0);
  keeper.keep_input(all_reduce(3), &nothing, 0);
  keeper.keep_output(all_reduce(3), nullptr, 1, -1);
  keeper.drain();
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::uint64_t bytes = 0;
  EXPECT_EQ(index.output_bytes(all_reduce(1), 0, bytes), LOCKSTEP_SERVED);
  EXPECT_EQ(bytes, 5 * sizeof(float));
  EXPECT_EQ(index.output_bytes(all_reduce(1), 1, bytes), LOCKSTEP_SERVE_MISFIT);
  EXPECT_EQ(index.output_bytes(all_reduce(2), 0, bytes), LOCKSTEP_SERVE_OPEN);
  EXPECT_EQ(index.output_bytes(all_reduce(3), 0, bytes), LOCKSTEP_SERVE_NOT_KEPT);
  EXPECT_EQ(index.output_bytes(all_reduce(4), 0, bytes), LOCKSTEP_SERVE_UNKNOWN);
}

TEST_F(PayloadTest, AResultThatTwoRanksShareIsStoredOnce) {
  PayloadKeeper& first = new_keeper();
  PayloadKeeper& second = new_keeper();
  open(first, 0);
  open(second, 1);
  for (PayloadKeeper* keeper : {&first, &second}) {
    keep(*keeper, all_reduce(1), numbers(1000, 0), numbers(1000, 1));
    keeper->drain();
  }
  const auto read = [&](int rank) { return record::read_payload(file(rank)).value().blob_bytes; };
  EXPECT_EQ(read(0) + read(1), 4000u);
  for (int rank : {0, 1}) {
    PayloadIndex index;
    ASSERT_EQ(index.open(folder_.c_str(), rank, 0), 0);
    std::vector<float> room(1000);
    EXPECT_EQ(serve(index, all_reduce(1), room), LOCKSTEP_SERVED);
    EXPECT_EQ(room, numbers(1000, 1));
  }
}

TEST_F(PayloadTest, AFailedCallFailsAgainAndAnOpenOneStaysOpen) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  const lockstep_piece nothing{nullptr, 0};
  keeper.keep_input(all_reduce(1), &nothing, 0);
  keeper.keep_failure(all_reduce(1), "peer is gone", 12);
  keeper.keep_input(all_reduce(2), &nothing, 0);
  keeper.drain();
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  lockstep_served served{};
  EXPECT_EQ(index.serve(all_reduce(1), nullptr, 0, served), LOCKSTEP_SERVE_FAILURE);
  EXPECT_EQ(std::string(served.error, served.error_bytes), "peer is gone");
  EXPECT_EQ(index.serve(all_reduce(2), nullptr, 0, served), LOCKSTEP_SERVE_OPEN);
}

TEST_F(PayloadTest, WhatFindsNoRoomStopsThePayloadButNotTheHashes) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keep(keeper, all_reduce(1), numbers(2, 0), numbers(2, 1));
  keeper.keep_state(1, "", 0, nullptr, 0);
  keep(keeper, all_reduce(2), numbers(2, 0), std::vector<float>(std::size_t{8} << 20));
  keep(keeper, all_reduce(3), numbers(2, 0), numbers(2, 9));
  keeper.drain();
  const record::Payload payload = record::read_payload(file(0)).value();
  ASSERT_TRUE(payload.stopped);
  EXPECT_EQ(payload.stopped->step, 1u);
  ASSERT_EQ(payload.calls.size(), 3u);
  EXPECT_TRUE(payload.results.at(payload.calls[0].key).is_kept);
  EXPECT_FALSE(payload.results.at(payload.calls[1].key).is_kept);
  EXPECT_FALSE(payload.results.at(payload.calls[2].key).is_kept);
  EXPECT_EQ(payload.results.at(payload.calls[2].key).outputs.size(), 1u);
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<float> room(2);
  EXPECT_EQ(serve(index, all_reduce(1), room), LOCKSTEP_SERVED);
  EXPECT_EQ(serve(index, all_reduce(3), room), LOCKSTEP_SERVE_NOT_KEPT);
}

TEST_F(PayloadTest, WhatADeviceToldLateBelongsToTheMomentOfItsCall) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keeper.begin_step(0);
  keeper.end_step(1);
  lockstep_payload_moment at_call{};
  keeper.tell_now(at_call);
  keeper.begin_step(0);
  keeper.end_step(2);
  const std::uint8_t sum[16] = {1, 2, 3};
  keeper.keep_input_sum(all_reduce(1), at_call, sum, 64, 2);
  const std::uint64_t sums[2] = {11, 12};
  keeper.keep_state_sums(1, {"weight\nbias", 11}, sums, 2);
  keeper.drain();
  const record::Payload payload = record::read_payload(file(0)).value();
  ASSERT_EQ(payload.calls.size(), 1u);
  EXPECT_EQ(payload.calls[0].step, 1u);
  EXPECT_TRUE(payload.calls[0].is_between_steps);
  EXPECT_TRUE(payload.calls[0].is_device_sum);
  EXPECT_EQ(payload.calls[0].input_bytes, 64u);
  EXPECT_EQ(payload.calls[0].input->at(2), 3);
  ASSERT_EQ(payload.states.size(), 1u);
  EXPECT_EQ(payload.states[0].sums, (std::vector<std::uint64_t>{11, 12}));
  EXPECT_EQ(payload.state_names.at(payload.states[0].names), (std::vector<std::string>{"weight", "bias"}));
}

TEST_F(PayloadTest, WhoCannotFollowStopsThePayload) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keep(keeper, all_reduce(1), numbers(5, 0), numbers(5, 1));
  EXPECT_FALSE(keeper.has_stopped());
  keeper.stop(0);
  EXPECT_TRUE(keeper.has_stopped());
  keep(keeper, all_reduce(2), numbers(5, 0), numbers(5, 2));
  keeper.drain();
  const record::Payload payload = record::read_payload(file(0)).value();
  ASSERT_TRUE(payload.stopped.has_value());
  EXPECT_EQ(payload.stopped->error, 0);
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<float> room(5);
  EXPECT_EQ(serve(index, all_reduce(1), room), LOCKSTEP_SERVED);
  EXPECT_EQ(serve(index, all_reduce(2), room), LOCKSTEP_SERVE_NOT_KEPT);
}

TEST_F(PayloadTest, AFileCutAnywhereIsReadUpToTheCut) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  const std::vector<float> state = numbers(4, 0);
  const lockstep_piece piece = piece_of(state);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    keep(keeper, all_reduce(i), numbers(5, 0), numbers(5, static_cast<float>(i)));
    keeper.keep_state(i, "weight", 6, &piece, 1);
  }
  keeper.drain();
  const std::string whole = bytes_of(0);
  std::size_t most = 0;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::vector<std::uint64_t> copy(cut / 8 + 1);
    std::memcpy(copy.data(), whole.data(), cut);
    const auto payload = record::decode_payload(copy.data(), cut, "cut");
    if (!payload.ok()) {
      EXPECT_LT(cut, sizeof(lockstep_payload_file));
      continue;
    }
    EXPECT_GE(payload.value().calls.size(), most);
    most = payload.value().calls.size();
  }
  EXPECT_EQ(most, 3u);
  const record::Payload payload = record::read_payload(file(0)).value();
  ASSERT_EQ(payload.states.size(), 3u);
  EXPECT_EQ(payload.state_names.at(payload.states[0].names), std::vector<std::string>{"weight"});
  EXPECT_EQ(payload.states[0].sums, payload.states[2].sums);
  EXPECT_EQ(payload.calls[2].step, 2u);
  EXPECT_FALSE(payload.is_cut);
}

TEST_F(PayloadTest, DamagedBytesAreNotServed) {
  PayloadKeeper& keeper = new_keeper();
  open(keeper, 0);
  keep(keeper, all_reduce(1), numbers(2, 0), numbers(64, 3));
  keeper.drain();
  std::string bytes = bytes_of(0);
  const std::vector<float> kept = numbers(64, 3);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(kept.data()), 256));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 17] ^= 1;
  std::ofstream(file(0), std::ios::binary | std::ios::trunc) << bytes;
  PayloadIndex index;
  ASSERT_EQ(index.open(folder_.c_str(), 0, 0), 0);
  std::vector<float> room(64);
  EXPECT_EQ(serve(index, all_reduce(1), room), LOCKSTEP_SERVE_NOT_KEPT);
}

}  // namespace
}  // namespace lockstep::recorder
