// The process groups of one dump: those its entries name, those pg_config lists, and how far pg_status says
// they got.
//
// Nothing in a dump is a reliable identity: pg_config has one group for a name that several may share, it
// comes behind the entries in JSON, gloo leaves it empty, and a group may have two backends that count apart.
// So entries get local numbers, which become communicators when everything was read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/collective.h"
#include "model/job.h"

namespace lockstep::readers {

// What the flight recorder's profiling_name says: "nccl:_all_gather_base", "nccl:send 0->1".
struct FlightRecorderName {
  std::string backend;  // nccl, gloo ...; empty when the name does not tell
  std::string name;     // the operation as the recorder calls it, without backend and ranks
  model::Operation operation = model::Operation::kUnknown;
  bool is_point_to_point = false;
  // It ends a coalesced region, and its state is that of every operation in it.
  bool closes_region = false;
  // Ranks in the group, of a send or receive: who recorded it, and the other end.
  std::optional<int> own;
  std::optional<int> peer;
};

FlightRecorderName parse_flight_recorder_name(std::string_view profiling_name);

class FlightRecorderGroups {
 public:
  struct Status {
    std::int64_t enqueued = -1;
    std::int64_t started = -1;
    std::int64_t completed = -1;
  };

  std::uint32_t number_of(std::string_view name, std::string_view description, const std::string& backend);
  void saw_entry(std::uint32_t group, std::optional<std::int64_t> pg_id, bool is_point_to_point);
  // The rank that wrote the dump is `own` in the group.
  void saw_own(std::uint32_t group, int own);

  // `ranks` as the dump has it: "[0, 1, 2]". A group without any is one nobody configured.
  void configure(std::string_view name, std::string_view description, std::string_view ranks);
  void configure(std::string_view name, std::string_view description, std::vector<int> ranks);
  // `pg_id` as the dump has it, a text of digits.
  void set_status(std::string_view pg_id, const Status& status);

  // What the content tells of who wrote the dump; nothing when it tells nothing.
  std::optional<int> rank_of_writer() const;
  std::optional<int> world_size() const;

  // Into the job and its rank: communicators and progress. The result holds the communicator of each number.
  std::vector<model::CommunicatorId> finish(model::Job& job, model::RankHistory& history) const;

 private:
  struct Group {
    std::string name;
    std::string description;
    std::string backend;
    bool has_point_to_point = false;
    std::optional<std::int64_t> last_pg_id;
    std::optional<int> own;
  };
  struct Configured {
    std::string description;
    std::vector<int> ranks;
  };

  using UnusedGroups = std::map<std::string, model::CommunicatorId>;  // without entries, by name

  const Configured* configured(const Group& group) const;
  std::map<std::int64_t, std::string> names_by_order() const;
  void add_progress(const std::vector<model::CommunicatorId>& communicators,
                    const UnusedGroups& unused_groups, model::RankHistory& history) const;

  std::vector<Group> groups_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::map<std::string, Configured, std::less<>> configured_;
  std::map<std::int64_t, std::uint32_t> group_of_pg_id_;
  std::map<std::int64_t, Status> statuses_;
};

}  // namespace lockstep::readers
