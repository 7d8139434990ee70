// What the recorder writes is what the model says afterwards, however the records of threads stand in the
// file.
#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/format.h"
#include "readers/lockstep/recording.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

using model::Event;
using model::EventKind;
using model::EventState;
using recorder::Lane;
using recorder::Writer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

model::Job job_of(const std::string& bytes, const std::filesystem::path& path = "rank_1.lockstep") {
  const readers::Source source{.name = "rank_1.lockstep", .path = path, .bytes = bytes};
  const readers::Format* format = readers::sniff(source);
  EXPECT_NE(format, nullptr);
  return format == nullptr ? model::Job{} : format->read(source);
}

// A writer with small chunks, so that those of threads alternate.
class Recorded {
 public:
  Recorded() : path_(folder_ / "rank_00001.restart_0.lockstep") {
    recorder::WriterOptions options;
    options.path = path_.c_str();
    options.rank = 1;
    options.world_size = 2;
    options.chunk_bytes = 4096;
    options.header_bytes = 4096;
    options.max_bytes = std::size_t{64} << 20;
    EXPECT_EQ(writer.open(options), 0);
  }
  std::uint32_t string(std::string_view text) { return writer.intern_string(text.data(), text.size()); }
  std::string bytes() const { return bytes_of(path_); }
  model::Job read() const { return job_of(bytes(), path_); }
  std::filesystem::path beside(const char* name) const { return folder_ / name; }

  Writer writer;

 private:
  const ScratchFolder folder_;
  const std::string path_;
};

lockstep_call call_record(std::uint64_t time_ns, std::uint32_t communicator, std::uint64_t sequence,
                          model::Operation operation = model::Operation::kAllReduce, std::int32_t peer = -1) {
  lockstep_call call{};
  call.time_ns = time_ns;
  call.sequence = sequence;
  call.communicator = communicator;
  call.operation = static_cast<std::uint8_t>(operation);
  call.peer = peer;
  return call;
}

lockstep_done done_record(const lockstep_call& call, std::uint64_t time_ns, std::uint8_t status) {
  lockstep_done done{};
  done.time_ns = time_ns;
  done.sequence = call.sequence;
  done.communicator = call.communicator;
  done.operation = call.operation;
  done.status = status;
  done.peer = call.peer;
  return done;
}

TEST(RecordingToModel, TheSampleInWords) {
  const ScratchFolder folder;
  write_sample(folder / "sample.lockstep");
  const model::Job job = job_of(bytes_of(folder / "sample.lockstep"));
  ASSERT_EQ(job.ranks.size(), 1U);
  const model::RankHistory& history = job.ranks[0];
  EXPECT_EQ(history.rank.number, 1);
  EXPECT_EQ(history.rank.local_rank, 1);
  EXPECT_EQ(history.rank.restart, 2);
  EXPECT_EQ(history.rank.end, model::RankEnd::kClean);
  EXPECT_EQ(history.rank.framework_version, "2.13.0");
  EXPECT_EQ(job.framework, "pytorch");
  EXPECT_EQ(job.backend, "gloo");
  EXPECT_EQ(job.world_size, 4);
  EXPECT_EQ(job.hosts.at(0).name, "node-a");
  EXPECT_TRUE(history.begins_at_start);
  EXPECT_EQ(history.events_lost, 0U);
  EXPECT_EQ(history.events.size(), 150 + 50 + 1 + 2U);
  EXPECT_THAT(job.limits, IsEmpty());

  const auto failed = std::ranges::find(history.events, EventState::kFailed, &Event::state);
  ASSERT_NE(failed, history.events.end());
  EXPECT_EQ(failed->sequence, 12U);
  EXPECT_EQ(failed->thread, 101U);
  EXPECT_EQ(failed->end_ns - failed->begin_ns, 8'000);
  EXPECT_EQ(job.names[failed->name], "bucket 0");
  EXPECT_EQ(job.checksums.at(static_cast<std::size_t>(failed->checksums)),
            (model::Checksums{0x1122334455667788, 0x99AABBCCDDEEFF00}));
  const model::Communicator& world = job.communicators[failed->communicator];
  EXPECT_EQ(world.name, "world");
  EXPECT_THAT(world.members, ElementsAre(0, 1, 2, 3));
  const model::Collective& collective = job.collectives[failed->collective];
  EXPECT_EQ(collective.operation, model::Operation::kAllReduce);
  EXPECT_EQ(collective.reduce_op, model::ReduceOp::kSum);
  EXPECT_THAT(collective.input_shapes, ElementsAre(model::Shape{64, 32}));
  const model::Stack& stack = job.stacks[failed->stack];
  ASSERT_EQ(stack.size(), 2U);
  EXPECT_EQ(stack[1].function, "train");
  EXPECT_EQ(stack[1].line, 42);
  ASSERT_EQ(history.failures.size(), 1U);
  EXPECT_THAT(history.failures[0].message, HasSubstr("Connection closed by peer"));

  const auto step = std::ranges::find(history.events, EventKind::kActivity, &Event::kind);
  ASSERT_NE(step, history.events.end());
  EXPECT_EQ(step->activity, model::Activity::kStep);
  EXPECT_EQ(step->sequence, 7U);
  EXPECT_EQ(step->state, EventState::kStarted) << "it never ended";
}

TEST(RecordingToModel, AStepHasABeginAndAnEnd) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  lockstep_activity step{};
  step.activity = static_cast<std::uint8_t>(model::Activity::kStep);
  for (std::uint64_t i = 0; i < 3; ++i) {
    step.number = i;
    step.time_ns = 1000 + i * 100;
    step.phase = LOCKSTEP_PHASE_BEGIN;
    lane.write(step);
    step.time_ns += 60;
    step.phase = LOCKSTEP_PHASE_END;
    if (i != 2) lane.write(step);
  }
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  const std::vector<Event>& events = job.ranks[0].events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1].end_ns - events[1].begin_ns, 60);
  EXPECT_EQ(events[1].state, EventState::kCompleted);
  EXPECT_EQ(events[2].state, EventState::kStarted);
  EXPECT_EQ(events[2].end_ns, model::kNoTime);
}

// The slow twin: a list of calls for each key, each taking the first word that is for it.
struct ExpectedCall {
  std::uint64_t time_ns = 0;
  std::int64_t done_after_ns = -1;
  std::uint64_t checksum = 0;
};

TEST(RecordingToModel, EveryWordFindsItsCallHoweverThreadsAlternate) {
  std::mt19937_64 random(20261115);
  for (int round = 0; round < 40; ++round) {
    Recorded recorded;
    constexpr std::uint32_t kThreads = 3;
    std::array<Lane, kThreads> lanes;
    for (std::uint32_t i = 0; i < kThreads; ++i) recorded.writer.open_lane(lanes[i], i + 1);
    const bool only_one_calls = round % 2 == 0;
    const std::uint64_t gap_every = round % 3 == 0 ? 1'000'000 : 50;
    std::map<std::uint64_t, ExpectedCall> expected;  // by time, which no two calls share
    std::map<std::uint32_t, std::uint64_t> next_sequence;
    std::vector<lockstep_call> open;
    std::uint64_t now = 1'000'000;
    for (int i = 0; i < 3000; ++i) {
      now += 10;
      const auto communicator = static_cast<std::uint32_t>(1 + random() % 3);
      const bool is_pair = random() % 4 == 0;
      const auto peer = is_pair ? static_cast<std::int32_t>(random() % 2) : -1;
      std::uint64_t& sequence = next_sequence[communicator * 100 + static_cast<std::uint32_t>(peer + 1)];
      sequence += random() % gap_every == 0 ? 1 + random() % 9 : 1;
      const auto operation = is_pair ? model::Operation::kSend : model::Operation::kAllReduce;
      const lockstep_call call = call_record(now, communicator, sequence, operation, peer);
      Lane& caller = lanes[only_one_calls ? 0 : random() % kThreads];
      caller.write(call);
      expected[now] = {.time_ns = now, .done_after_ns = -1, .checksum = 0};
      open.push_back(call);
      while (!open.empty() && random() % 3 != 0) {
        const std::size_t chosen = random() % std::min<std::size_t>(open.size(), 4);
        const lockstep_call done = open[chosen];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
        now += 1;
        lanes[kThreads - 1].write(done_record(done, now, LOCKSTEP_DONE_STARTED));
        lanes[kThreads - 1].write(done_record(done, now, LOCKSTEP_DONE_COMPLETED));
        expected[done.time_ns].done_after_ns = static_cast<std::int64_t>(now - done.time_ns);
        if (random() % 2 != 0) continue;
        lockstep_checksum checksum{};
        checksum.sequence = done.sequence;
        checksum.communicator = done.communicator;
        checksum.operation = done.operation;
        checksum.peer = done.peer;
        checksum.has_input = 1;
        checksum.input = random() | 1;
        lanes[random() % kThreads].write(checksum);
        expected[done.time_ns].checksum = checksum.input;
      }
    }
    for (Lane& lane : lanes) recorded.writer.close_lane(lane);
    recorded.writer.close(0);

    const model::Job job = recorded.read();
    const std::vector<Event>& events = job.ranks.at(0).events;
    ASSERT_EQ(events.size(), expected.size());
    auto next = expected.begin();
    for (const Event& event : events) {
      const ExpectedCall& call = (next++)->second;
      const std::string where =
          "round " + std::to_string(round) + ", call at " + std::to_string(call.time_ns);
      if (call.done_after_ns < 0) {
        ASSERT_EQ(event.state, EventState::kIssued) << where;
      } else {
        ASSERT_EQ(event.state, EventState::kCompleted) << where;
        ASSERT_EQ(event.end_ns - event.begin_ns, call.done_after_ns) << where;
      }
      const std::uint64_t input = event.checksums == model::ChecksumsId::kNone
                                      ? 0
                                      : job.checksums[static_cast<std::size_t>(event.checksums)].input;
      ASSERT_EQ(input, call.checksum) << where;
    }
  }
}

lockstep_checksum sums_record(const lockstep_call& call, std::uint64_t input, std::uint64_t output) {
  lockstep_checksum sums{};
  sums.sequence = call.sequence;
  sums.communicator = call.communicator;
  sums.operation = call.operation;
  sums.peer = call.peer;
  sums.has_input = input != 0 ? 1 : 0;
  sums.has_output = output != 0 ? 1 : 0;
  sums.input = input;
  sums.output = output;
  return sums;
}

TEST(RecordingToModel, WhatACallWasGivenAndGaveMayBeSummedApart) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  const lockstep_call first = call_record(1000, 1, 1);
  const lockstep_call second = call_record(1010, 1, 2);
  lane.write(first);
  lane.write(sums_record(first, 11, 0));
  lane.write(second);
  lane.write(sums_record(second, 21, 0));
  lane.write(sums_record(first, 0, 12));
  lane.write(sums_record(second, 0, 22));
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  const auto sums = [&](std::size_t event) {
    return job.checksums.at(static_cast<std::size_t>(job.ranks.at(0).events.at(event).checksums));
  };
  EXPECT_EQ(sums(0), (model::Checksums{11, 12}));
  EXPECT_EQ(sums(1), (model::Checksums{21, 22}));
}

TEST(RecordingToModel, SumsWithoutACallAreOfTheStateAfterAStep) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  lockstep_activity step{};
  step.activity = static_cast<std::uint8_t>(model::Activity::kStep);
  step.phase = LOCKSTEP_PHASE_END;
  for (std::uint64_t number = 1; number <= 2; ++number) {
    step.number = number;
    step.time_ns = 1000 * number;
    lane.write(step);
    lane.write(sums_record(call_record(0, 1, number, model::Operation::kUnknown), 10 * number, 0));
  }
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  const std::vector<Event>& events = job.ranks.at(0).events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(job.checksums.at(static_cast<std::size_t>(events[1].checksums)), (model::Checksums{20, 0}));
  EXPECT_EQ(events[1].kind, EventKind::kActivity);
  EXPECT_NE(events[1].communicator, model::CommunicatorId::kNone);
}

TEST(RecordingToModel, CoalescedCallsShareANumber) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  for (int i = 0; i < 3; ++i) lane.write(call_record(1000 + static_cast<std::uint64_t>(i), 1, 7));
  lane.write(done_record(call_record(0, 1, 7), 1100, LOCKSTEP_DONE_COMPLETED));
  lane.write(done_record(call_record(0, 1, 7), 1200, LOCKSTEP_DONE_COMPLETED));
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  const std::vector<Event>& events = job.ranks[0].events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].end_ns - events[0].begin_ns, 100);
  EXPECT_EQ(events[1].end_ns - events[1].begin_ns, 199);
  EXPECT_EQ(events[2].state, EventState::kIssued);
}

TEST(RecordingToModel, AClockThatIsSetMovesWhatBeginsAfterIt) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  lockstep_clock clock{};
  clock.monotonic_ns = 5'000;
  clock.wall_ns = 1'700'000'000'000'005'000;
  lane.write(clock);
  const lockstep_call before = call_record(6'000, 1, 1);
  lane.write(before);
  clock.monotonic_ns = 7'000;
  clock.wall_ns = 1'700'000'060'000'007'000;  // set a minute ahead
  lane.write(clock);
  lane.write(done_record(before, 8'000, LOCKSTEP_DONE_COMPLETED));
  lane.write(call_record(9'000, 1, 2));
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  const std::vector<Event>& events = job.ranks[0].events;
  EXPECT_EQ(events[0].begin_ns, 1'700'000'000'000'006'000);
  EXPECT_EQ(events[0].end_ns - events[0].begin_ns, 2'000) << "a duration is not wrong by the setting";
  EXPECT_EQ(events[1].begin_ns, 1'700'000'060'000'009'000);
}

TEST(RecordingToModel, APostedCallIsWaitedForOnlyFromItsStartOn) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    lockstep_call call = numbered_call(1, number, 0);
    call.flags = LOCKSTEP_CALL_ASYNC | LOCKSTEP_CALL_POSTED;
    lane.write(call);
    lockstep_done done{};
    done.sequence = call.sequence;
    done.communicator = call.communicator;
    done.operation = call.operation;
    done.peer = call.peer;
    done.status = LOCKSTEP_DONE_STARTED;
    if (number >= 2) lane.write(done);
    done.status = LOCKSTEP_DONE_COMPLETED;
    if (number == 3) lane.write(done);
  }
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const model::Job job = recorded.read();
  std::vector<EventState> states;
  for (const Event& event : job.ranks.front().events) states.push_back(event.state);
  EXPECT_THAT(states, ElementsAre(EventState::kUntracked, EventState::kStarted, EventState::kCompleted));
}

TEST(RecordingToModel, TheHighestFrameworkNamesTheJob) {
  const std::vector<std::array<std::string_view, 2>> orders = {{"mpi", "torch"}, {"torch", "mpi"}};
  for (const auto& order : orders) {
    Recorded recorded;
    for (const std::string_view framework : order) {
      recorded.writer.write_attribute(recorded.string(framework), recorded.string("1.0"));
    }
    recorded.writer.close(0);
    EXPECT_EQ(recorded.read().framework, "pytorch");
  }
}

TEST(RecordingToModel, AProcessBeganBeforeItsRecord) {
  const auto begun_with = [](const char* value) {
    Recorded recorded;
    if (value != nullptr) {
      recorded.writer.write_attribute(recorded.string("process began"), recorded.string(value));
    }
    return recorded.read().ranks[0].rank.begun_ns;
  };
  EXPECT_EQ(begun_with("1700000000000000000"), 1'700'000'000'000'000'000);
  for (const char* no_time : {"", "-5", "12 s", "9223372036854775807", "99999999999999999999"}) {
    EXPECT_GT(begun_with(no_time), 1'700'000'000'000'000'000) << no_time << ": the record's own beginning";
    EXPECT_LT(begun_with(no_time), 9'000'000'000'000'000'000) << no_time;
  }
  EXPECT_GT(begun_with(nullptr), 1'700'000'000'000'000'000);
}

TEST(RecordingToModel, ARingDoesNotBeginAtTheStart) {
  for (const std::uint64_t calls : {100U, 100'000U}) {
    const ScratchFolder folder;
    const std::string path = folder / "rank_00001.restart_0.lockstep";
    recorder::WriterOptions options;
    options.path = path.c_str();
    options.max_bytes = std::size_t{1} << 20;
    options.is_ring = true;
    Writer writer;
    ASSERT_EQ(writer.open(options), 0);
    Lane lane;
    writer.open_lane(lane, 1);
    for (std::uint64_t i = 0; i < calls; ++i) lane.write(numbered_call(1, i, 0));
    writer.close_lane(lane);
    writer.close(0);
    const model::Job job = job_of(bytes_of(path), path);
    EXPECT_EQ(job.ranks.front().begins_at_start, calls == 100);
    EXPECT_EQ(job.limits.empty(), calls == 100);
  }
}

TEST(RecordingToModel, TheEndSaysHow) {
  const auto end_of = [](int status) {
    Recorded recorded;
    recorded.writer.close(status);
    return recorded.read().ranks[0].rank;
  };
  EXPECT_EQ(end_of(0).end, model::RankEnd::kClean);
  EXPECT_EQ(end_of(-1).end, model::RankEnd::kClean) << "it said goodbye";
  EXPECT_EQ(end_of(3).end, model::RankEnd::kExited);
  EXPECT_EQ(end_of(3).exit_status, 3);
}

TEST(RecordingToModel, AMissingGoodbyeIsALimitOnlyOfARecordingMarkedIncomplete) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  lane.write(call_record(1000, 1, 1));
  EXPECT_THAT(recorded.read().limits, IsEmpty());
  EXPECT_EQ(recorded.read().ranks[0].rank.end, model::RankEnd::kUnknown);
  std::ofstream(recorded.beside("incomplete"));
  EXPECT_THAT(recorded.read().limits, ElementsAre(HasSubstr("rank_1.lockstep: no end record")));
}

TEST(RecordingToModel, WhatIsLostIsCounted) {
  const ScratchFolder folder;
  write_sample(folder / "sample.lockstep");
  std::string bytes = bytes_of(folder / "sample.lockstep");
  bytes[LOCKSTEP_LIVE_OFFSET] = 5;
  EXPECT_EQ(job_of(bytes).ranks[0].events_lost, 5U);
  bytes[LOCKSTEP_LIVE_OFFSET] = 0;
  const std::size_t last_call = bytes.rfind("\x40\x00\x01\xa5", std::string::npos, 4);
  ASSERT_NE(last_call, std::string::npos);
  bytes[last_call + 20] ^= 1;
  const model::Job job = job_of(bytes);
  EXPECT_GE(job.ranks[0].events_lost, 1U);
  EXPECT_THAT(job.limits, ::testing::Contains(HasSubstr("damaged from byte")));
}

TEST(RecordingToModel, CutAtEveryByteItKeepsTheEventsBeforeTheCut) {
  Recorded recorded;
  Lane lane;
  recorded.writer.open_lane(lane, 1);
  for (std::uint64_t i = 0; i < 60; ++i) {
    const lockstep_call call = call_record(1000 + i * 10, 1, i);
    lane.write(call);
    lane.write(done_record(call, 1005 + i * 10, LOCKSTEP_DONE_COMPLETED));
  }
  recorded.writer.close_lane(lane);
  recorded.writer.close(0);
  const std::string whole = recorded.bytes().substr(0, 4 * 4096);
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const readers::Source source{
        .name = "cut", .path = "cut", .bytes = std::string_view(whole).substr(0, size)};
    if (size < 8) {
      ASSERT_FALSE(readers::recognises_recording(source));
      continue;
    }
    const model::Job job = readers::read_recording(source);
    if (size < sizeof(lockstep_file_header)) {
      ASSERT_THAT(job.limits, ElementsAre("cut: cut inside the header"));
      continue;
    }
    ASSERT_GE(job.ranks[0].events.size(), before) << "cut at " << size;
    before = job.ranks[0].events.size();
  }
  EXPECT_EQ(before, 60U);
}

}  // namespace
}  // namespace lockstep::tests
