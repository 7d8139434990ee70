// Writes the flight-recorder dumps of a large job that hangs: the input of tests/bench/analyser_bench.
//
//   dumps_generator FOLDER SHAPE RANKS ENTRIES MISSING
//
// SHAPE  world   every call is over all ranks
//        tp8dp   eight calls a step: six over the eight ranks of a host, two over the ranks of equal place in
//        their host
// The rings have wrapped. In the last call of its group rank MISSING does not come, and the others of that
// group wait; MISSING -1: nobody is missing and everything completed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "torch_pickler.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kCallsBeforeRing = 48'000;  // a multiple of a step
constexpr std::int64_t kEpochNs = 1'762'000'000'000'000'000;
constexpr int kFrames = 12;
constexpr int kHostSize = 8;
constexpr int kCallsInStep = 8;
constexpr int kHostCallsInStep = 6;

struct Plan {
  std::filesystem::path folder;
  bool is_tp8dp = false;
  int ranks = 0;
  std::int64_t entries = 0;
  int missing = -1;
};

struct Group {
  int pg_id;
  Text name;
  Text description;
  Text members;
  bool holds_missing;
};

// One call of a rank's program, by its number since the job began.
struct Call {
  std::size_t group;
  std::int64_t sequence;
  int place;  // in the step
};

Call call_at(const Plan& plan, std::int64_t number) {
  const int place = static_cast<int>(number % kCallsInStep);
  if (!plan.is_tp8dp) return {0, number + 1, place};
  const std::int64_t step = number / kCallsInStep;
  if (place < kHostCallsInStep) return {1, step * kHostCallsInStep + place + 1, place};
  constexpr int kAcross = kCallsInStep - kHostCallsInStep;
  return {2, step * kAcross + (place - kHostCallsInStep) + 1, place};
}

Group make_group(const Plan& plan, int pg_id, const std::string& name, const char* description, int first,
                 int stride, int size) {
  std::string members = "[";
  bool holds_missing = false;
  for (int index = 0; index < size; ++index) {
    const int rank = first + index * stride;
    holds_missing = holds_missing || rank == plan.missing;
    fmt::format_to(std::back_inserter(members), "{}{}", index == 0 ? "" : ", ", rank);
  }
  return {pg_id, Text(name), Text(description), Text(members + "]"), holds_missing};
}

std::vector<Group> groups_of(const Plan& plan, int rank) {
  std::vector<Group> groups;
  groups.push_back(make_group(plan, 0, "0", "default_pg", 0, 1, plan.ranks));
  if (!plan.is_tp8dp) return groups;
  const int hosts = plan.ranks / kHostSize;
  const int host = rank / kHostSize;
  const int place = rank % kHostSize;
  groups.push_back(make_group(plan, 1, std::to_string(1 + host), "tp", host * kHostSize, 1, kHostSize));
  groups.push_back(make_group(plan, 2, std::to_string(1 + hosts + place), "dp", place, kHostSize, hosts));
  return groups;
}

class DumpWriter {
 public:
  DumpWriter(const Plan& plan, int rank) : plan_(plan), rank_(rank), groups_(groups_of(plan, rank)) {
    // The outer frames are the same for every call, the inner four differ by place in the step.
    for (int place = 0; place < kCallsInStep; ++place) {
      for (int depth = 0; depth < kFrames; ++depth) {
        const int code = depth < 4 ? place * 10 + depth : 100 + depth;
        frame_names_.emplace_back(fmt::format("function_{}", code));
        frame_files_.emplace_back(
            fmt::format("/opt/venv/lib/python3.11/site-packages/framework/part_{}/module.py", code));
      }
    }
    frame_memos_.assign(frame_names_.size(), kNotMemoised);
  }

  std::string write() && {
    pickler_.open_dict();
    pickler_.text(version_);
    pickler_.text(version_value_);
    write_pg_config();
    pickler_.text(comm_lib_version_);
    pickler_.text(library_value_);
    write_pg_status();
    pickler_.text(entries_);
    pickler_.open_list();
    const std::int64_t last = last_call();
    for (std::int64_t number = last - plan_.entries + 1; number <= last; ++number) write_entry(number);
    pickler_.close_list();
    pickler_.close_dict();
    return std::move(pickler_).finish();
  }

 private:
  std::int64_t last_call() const {
    return kCallsBeforeRing + plan_.entries - (rank_ == plan_.missing ? 2 : 1);
  }

  bool is_pending(std::int64_t number) const {
    return number == kCallsBeforeRing + plan_.entries - 1 &&
           groups_[call_at(plan_, number).group].holds_missing;
  }

  void write_pg_config() {
    pickler_.text(pg_config_);
    pickler_.open_dict();
    for (Group& group : groups_) {
      pickler_.text(group.name);
      pickler_.open_dict();
      pickler_.text(name_);
      pickler_.text(group.name);
      pickler_.text(desc_);
      pickler_.text(group.description);
      pickler_.text(ranks_);
      pickler_.text(group.members);
      pickler_.close_dict();
    }
    pickler_.close_dict();
  }

  void write_pg_status() {
    std::vector<std::int64_t> enqueued(groups_.size(), -1);
    std::vector<std::int64_t> completed(groups_.size(), -1);
    for (std::int64_t number = last_call() - kCallsInStep; number <= last_call(); ++number) {
      const Call call = call_at(plan_, number);
      enqueued[call.group] = call.sequence;
      if (!is_pending(number)) completed[call.group] = call.sequence;
    }
    pickler_.text(pg_status_);
    pickler_.open_dict();
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      write_status_key(std::to_string(group));
      pickler_.open_dict();
      pickler_.text(last_enqueued_);
      pickler_.number(enqueued[group]);
      pickler_.text(last_started_);
      pickler_.number(-1);
      pickler_.text(last_completed_);
      pickler_.number(completed[group]);
      pickler_.close_dict();
    }
    pickler_.close_dict();
  }

  // A group may have this number as its name: then the string stands there already.
  void write_status_key(const std::string& number) {
    Text key(number);
    for (const Group& group : groups_) {
      if (group.name.value == number) key.memo = group.name.memo;
    }
    pickler_.text(key);
  }

  void write_entry(std::int64_t number) {
    const Call call = call_at(plan_, number);
    Group& group = groups_[call.group];
    const bool done = !is_pending(number);
    const std::int64_t created = kEpochNs + number * 1'250'000 + rank_ * 7'000;
    pickler_.open_dict();
    write_frames(call.place);
    field(record_id_, number);
    field(pg_id_, group.pg_id);
    pickler_.text(process_group_);
    pickler_.text(group.name);
    pickler_.text(group.description);
    pickler_.pair();
    field(thread_name_, python_);
    field(thread_id_, thread_);
    field(collective_seq_id_, call.sequence);
    field(p2p_seq_id_, 0);
    field(op_id_, call.sequence);
    field(profiling_name_, operation_);
    field(time_created_ns_, created);
    write_tensor(input_sizes_, input_dtypes_, call.place);
    write_tensor(output_sizes_, output_dtypes_, call.place);
    field(state_, done ? completed_ : scheduled_);
    write_time(started_ns_, done, created + 200'000);
    write_time(completed_ns_, done, created + 900'000);
    pickler_.text(retired_);
    pickler_.boolean(done);
    field(timeout_ms_, 600'000);
    pickler_.text(is_p2p_);
    pickler_.boolean(false);
    pickler_.close_dict();
  }

  void write_frames(int place) {
    pickler_.text(frames_);
    pickler_.open_list();
    for (int depth = 0; depth < kFrames; ++depth) {
      const auto frame = static_cast<std::size_t>((depth < 4 ? place : 0) * kFrames + depth);
      if (frame_memos_[frame] != kNotMemoised) {
        pickler_.get(frame_memos_[frame]);
        continue;
      }
      pickler_.open_dict();
      field(name_, frame_names_[frame]);
      field(filename_, frame_files_[frame]);
      field(line_, static_cast<std::int64_t>(100 + frame));
      pickler_.close_dict();
      frame_memos_[frame] = pickler_.put();
    }
    pickler_.close_list();
  }

  void write_tensor(Text& sizes, Text& types, int place) {
    pickler_.text(sizes);
    pickler_.open_list();
    pickler_.open_list();
    pickler_.number(1024 * (place + 1));
    pickler_.number(4096);
    pickler_.close_list();
    pickler_.close_list();
    pickler_.text(types);
    pickler_.open_list();
    pickler_.text(bfloat16_);
    pickler_.close_list();
  }

  void write_time(Text& key, bool known, std::int64_t time) {
    pickler_.text(key);
    if (known) {
      pickler_.number(time);
    } else {
      pickler_.none();
    }
  }

  void field(Text& key, std::int64_t value) {
    pickler_.text(key);
    pickler_.number(value);
  }
  void field(Text& key, Text& value) {
    pickler_.text(key);
    pickler_.text(value);
  }

  const Plan& plan_;
  int rank_;
  TorchPickler pickler_;
  std::vector<Group> groups_;
  std::vector<Text> frame_names_;
  std::vector<Text> frame_files_;
  std::vector<std::int64_t> frame_memos_;
  Text version_{"version"}, version_value_{"2.10"}, pg_config_{"pg_config"}, name_{"name"}, desc_{"desc"};
  Text ranks_{"ranks"}, comm_lib_version_{"comm_lib_version"}, library_value_{"2.27.3"},
      pg_status_{"pg_status"};
  Text last_enqueued_{"last_enqueued_collective"}, last_started_{"last_started_collective"};
  Text last_completed_{"last_completed_collective"}, entries_{"entries"}, frames_{"frames"},
      filename_{"filename"};
  Text line_{"line"}, record_id_{"record_id"}, pg_id_{"pg_id"}, process_group_{"process_group"};
  Text thread_name_{"thread_name"}, python_{"python"}, thread_id_{"thread_id"}, thread_{"139722072945344"};
  Text collective_seq_id_{"collective_seq_id"}, p2p_seq_id_{"p2p_seq_id"}, op_id_{"op_id"};
  Text profiling_name_{"profiling_name"}, operation_{"nccl:all_reduce"}, time_created_ns_{"time_created_ns"};
  Text input_sizes_{"input_sizes"}, input_dtypes_{"input_dtypes"}, bfloat16_{"BFloat16"},
      output_sizes_{"output_sizes"};
  Text output_dtypes_{"output_dtypes"}, state_{"state"}, completed_{"completed"}, scheduled_{"scheduled"};
  Text started_ns_{"time_discovered_started_ns"}, completed_ns_{"time_discovered_completed_ns"};
  Text retired_{"retired"}, timeout_ms_{"timeout_ms"}, is_p2p_{"is_p2p"};
};

bool write_all(const Plan& plan) {
  std::filesystem::create_directories(plan.folder);
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const std::string dump = DumpWriter(plan, rank).write();
    std::ofstream file(plan.folder / fmt::format("nccl_trace_rank_{}", rank), std::ios::binary);
    if (!file.write(dump.data(), static_cast<std::streamsize>(dump.size())).flush()) {
      fmt::print(stderr, "dumps_generator: rank {} could not be written to {}\n", rank, plan.folder.string());
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (words.size() != 6 || (words[2] != "world" && words[2] != "tp8dp")) {
    fmt::print(stderr, "usage: dumps_generator FOLDER world|tp8dp RANKS ENTRIES MISSING\n");
    return 2;
  }
  const lockstep::bench::Plan plan{.folder = words[1],
                                   .is_tp8dp = words[2] == "tp8dp",
                                   .ranks = std::atoi(argv[3]),
                                   .entries = std::atoll(argv[4]),
                                   .missing = std::atoi(argv[5])};
  if (plan.ranks <= 0 || plan.entries <= 8 ||
      (plan.is_tp8dp && (plan.ranks % 8 != 0 || plan.entries % 8 != 0))) {
    fmt::print(stderr, "dumps_generator: ranks above 0 and entries above 8, for tp8dp both multiples of 8\n");
    return 2;
  }
  return lockstep::bench::write_all(plan) ? 0 : 1;
}
