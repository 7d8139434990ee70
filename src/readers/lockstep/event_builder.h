// The events of one rank from the records of its file, in any order in which threads wrote them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lockstep/record_format.h"

#include "model/job.h"
#include "readers/lockstep/call_index.h"
#include "readers/lockstep/definition_ids.h"
#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::readers {

class EventBuilder {
 public:
  EventBuilder(const lockstep_file_header& header, const record::Definitions& definitions, model::Job& job);
  EventBuilder(const EventBuilder&) = delete;  // the index of calls points into it
  EventBuilder& operator=(const EventBuilder&) = delete;

  // No more than a few hundred megabytes: a file of holes could hold any number.
  void expect_events(std::size_t count) {
    constexpr std::size_t kMaxExpected = std::size_t{4} << 20;
    history_.events.reserve(std::min(count, kMaxExpected));
  }
  void take(const record::RecordView& record, std::uint32_t position);

  // Its events are in the order of issue, their times those of the host's wall clock.
  model::RankHistory finish() &&;

 private:
  struct Done {
    std::int64_t time_ns = model::kNoTime;
    std::uint8_t status = 0;
    std::uint32_t error = 0;
    std::uint32_t position = 0;
  };
  struct Activity {
    std::uint8_t activity = 0;
    std::uint32_t thread = 0;
    std::uint64_t number = 0;
    std::uint32_t name = 0;

    auto operator<=>(const Activity&) const = default;
  };

  void take_call(const lockstep_call& call, std::uint32_t thread, std::uint32_t position);
  void take_done(const lockstep_done& record, std::uint32_t position);
  void take_checksum(const lockstep_checksum& record);
  void apply_checksums(model::Event& event, model::ChecksumsId sums);
  void take_state(const lockstep_checksum& record, model::ChecksumsId sums);
  void take_activity(const lockstep_activity& record, std::uint32_t thread, std::uint32_t position);
  void take_attribute(const lockstep_attribute& record);
  void take_process_time(std::string_view text);
  void take_end(const lockstep_end& record);
  void apply(const Done& done, model::Event& event);
  model::Event new_event(std::uint64_t time_ns, std::uint32_t thread, std::uint32_t position) const;
  void append(const model::Event& event);
  void apply_note(std::uint32_t place, CallWord word, std::uint32_t note);
  void set_wall_clock();

  const record::Definitions& definitions_;
  model::Job& job_;
  DefinitionIds ids_;
  model::RankHistory history_;
  CallIndex calls_;
  std::vector<Done> postponed_dones_;
  std::map<Activity, std::uint32_t> open_activities_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> clocks_;  // the same instants, monotonic and wall
  std::uint64_t dropped_ = 0;
  bool is_in_order_ = true;
};

}  // namespace lockstep::readers
