// Makes a Job of one dump, entry by entry: the meaning of the fields is here, their encoding is the readers'
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/job.h"
#include "readers/pytorch/flight_recorder_entry.h"
#include "readers/pytorch/flight_recorder_groups.h"
#include "readers/source.h"

namespace lockstep::readers {

class FlightRecorderRank {
 public:
  // Fills `job`, whose one source is `source`; both must outlive this.
  FlightRecorderRank(model::Job& job, const Source& source, std::size_t expected_entries);

  // Numbers for what entries share.
  std::uint32_t name(std::string_view profiling_name);
  std::uint32_t group(std::string_view group_name, std::string_view description, std::uint32_t name);
  std::uint32_t thread(std::string_view id);
  // `collective` tells types and shapes; operation and peer come from the name.
  model::CollectiveId collective(std::uint32_t name, model::Collective collective);
  model::StackId stack(const model::Stack& stack) { return job_.stacks.intern(stack); }

  void add(const FlightRecorderEntry& entry);
  void add_unreadable();
  std::size_t entries() const { return entries_; }

  void set_version(std::string_view version) { history_.rank.recorder_version = version; }
  FlightRecorderGroups& groups() { return groups_; }
  void limit(std::string_view why);
  // The dump ends before its writer was done: entries may be missing behind the last.
  void cut(std::string_view why);

  // Adds the rank to the job. Its number comes from the source's name, or else from the content.
  void finish();
  void finish_as(int rank);

 private:
  struct Name {
    FlightRecorderName parsed;
    model::NameId id = model::NameId::kNone;
    std::uint32_t backend = 0;
  };
  struct Backend {
    std::string name;
    std::size_t events = 0;
    bool tracks_state = false;  // or tells only, by retiring an entry, that it is done
    bool has_retired = false;
  };
  // An event that a later entry may turn out to be the end of.
  struct Pending {
    std::size_t event = 0;
    std::uint32_t group = 0;
    std::int64_t collective_sequence = 0;
    std::int64_t p2p_sequence = 0;
    std::int64_t record_id = 0;
    bool is_point_to_point = false;
  };

  enum class Region : std::uint8_t { kNone, kOfCollectives, kOfPointToPoint };

  std::uint32_t backend(const std::string& name);
  void notice_gap(const FlightRecorderEntry& entry);
  Region close_region(const FlightRecorderEntry& entry, const model::Event& closing);
  void settle_events();
  void settle_listing();
  void settle_batches();
  void name_writer();

  model::Job& job_;
  const Source& source_;
  model::RankHistory history_;
  FlightRecorderGroups groups_;
  std::vector<Name> names_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::vector<Backend> backends_;
  std::unordered_map<std::string, std::uint32_t> backend_numbers_;
  std::vector<std::uint32_t> backend_of_group_;
  std::unordered_map<std::string, std::uint32_t> threads_;
  std::vector<Pending> pending_;
  std::vector<std::int64_t> last_sequence_;  // of a collective, by group
  std::vector<bool> closes_batches_;         // by group: the end of one is listed
  std::vector<std::int64_t> gaps_;           // record ids with none right behind them
  std::vector<std::uint32_t> gap_behind_;    // the same by event
  std::optional<std::int64_t> last_record_id_;
  std::size_t entries_ = 0;
  std::size_t unreadable_ = 0;
  bool lists_finished_ = false;
};

}  // namespace lockstep::readers
