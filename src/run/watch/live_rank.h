// One rank of a running job, followed by its record file: what it is in, and how far it has come.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/collective.h"
#include "record/definitions.h"
#include "record/follower.h"
#include "run/watch/meetings.h"
#include "run/watch/rank_process.h"
#include "run/watch/step_clock.h"

namespace lockstep::watch {

struct OpenActivity {
  model::Activity activity{};
  std::uint64_t number = 0;
  std::int64_t begin_ns = 0;
};

class LiveRank {
 public:
  using OnCall = std::function<void(const LiveCall&)>;

  // An error also when the file is only just being made.
  static Result<LiveRank> open(const std::filesystem::path& path, Communicators& communicators);

  // Takes in what the rank wrote since the last poll; `on_call` is told of every call.
  void poll(const OnCall& on_call);

  const std::filesystem::path& path() const { return path_; }
  const lockstep_file_header& header() const { return follower_.header(); }
  const record::Follower& follower() const { return follower_; }
  const RankProcess& process() const { return process_; }
  int rank() const { return header().rank; }
  int restart() const { return static_cast<int>(header().restart); }
  std::string host() const;
  bool is_of_this_host() const;

  bool has_ended() const { return exit_status_.has_value(); }  // it said goodbye
  int exit_status() const { return exit_status_.value_or(-1); }
  bool is_gone() const { return is_gone_; }  // its process ended without a word

  const std::deque<LiveCall>& open_calls() const { return open_; }
  // The oldest call that the rank stands in: one it waits for, or, when it has said nothing for `quiet_ns`,
  // one that it left to others.
  const LiveCall* stands_in(std::int64_t now_ns, std::int64_t quiet_ns) const;
  // The last collective that it issued in a communicator; 0: none.
  std::uint64_t last_issued(std::uint32_t communicator) const;
  const OpenActivity* activity() const;

  std::int64_t last_word_ns() const { return last_word_ns_; }  // the newest record
  std::uint64_t calls() const { return calls_; }
  std::uint64_t records() const { return records_; }
  const StepClock& steps() const { return steps_; }
  const TimeShare& communication() const { return communication_; }
  const TimeShare& data_waits() const { return data_waits_; }
  const std::string& framework() const { return framework_; }
  // Everything that tells the recorder what the rank does: "pytorch 2.13.0", "horovod 0.28.1".
  const std::vector<std::string>& recorded_frameworks() const { return recorded_frameworks_; }
  // What its adapters could not do, in their words.
  const std::vector<std::string>& adapter_notes() const { return adapter_notes_; }
  const std::string& meeting_place() const { return meeting_place_; }  // empty: its adapter does not tell
  std::string backend() const;                                         // of its first communicator that tells

 private:
  LiveRank(std::filesystem::path path, record::Follower follower, Communicators& communicators);

  void take(const record::RecordView& record, const OnCall& on_call);
  void take_call(const lockstep_call& call, const OnCall& on_call);
  void take_done(const lockstep_done& done);
  void take_activity(const lockstep_activity& activity);
  void take_attribute(const lockstep_attribute& attribute);
  std::uint32_t communicator_of(std::uint32_t id);
  std::int64_t wall(std::uint64_t monotonic_ns) const;

  std::filesystem::path path_;
  record::Follower follower_;
  Communicators* communicators_;
  RankProcess process_;
  record::Definitions definitions_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of communicators, by the id in the file
  std::unordered_map<std::uint32_t, std::uint64_t> last_issued_;
  std::deque<LiveCall> open_;  // in the order of issue
  std::vector<OpenActivity> activities_;
  std::optional<int> exit_status_;
  bool is_gone_ = false;
  std::int64_t clock_shift_ns_ = 0;  // from the clock of the records to the wall's
  std::int64_t last_word_ns_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t records_ = 0;
  StepClock steps_;
  TimeShare communication_;
  TimeShare data_waits_;
  std::string framework_;
  std::vector<std::string> recorded_frameworks_;
  std::vector<std::string> adapter_notes_;
  std::string meeting_place_;
};

}  // namespace lockstep::watch
