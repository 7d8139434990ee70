// What a RAS report says of processes and communicators, in whichever form it was printed. A file may hold
// several reports one after another: a later one overrules an earlier one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/job.h"
#include "readers/nccl/roster.h"

namespace lockstep::readers {

class RasFindings {
 public:
  Roster& roster() { return roster_; }

  void set_liveness(Roster::Process process, model::Liveness liveness);
  void set_liveness_of_all(std::string_view host, std::int64_t pid, model::Liveness liveness);
  // How many operations of one kind the process launched in the communicator (kUnknown: of any kind).
  void set_count(Roster::Process process, model::CommunicatorId communicator, model::Operation operation,
                 std::int64_t count, std::uint32_t line);
  // A number of ncclResult_t: how far the process got with making the communicator.
  void set_creation(Roster::Process process, model::CommunicatorId communicator, std::int64_t result,
                    std::uint32_t line);
  // `error` empty: none.
  void add_error(Roster::Process process, model::CommunicatorId communicator, std::string_view kind,
                 std::string_view error, std::uint32_t line);
  void add_monitor_event(std::string_view event, std::string_view host, std::int64_t pid);

  model::Job finish(const Source& source, const std::vector<int>& numbers);

 private:
  struct Count {
    std::int64_t launched = 0;
    std::uint32_t line = 0;
  };
  struct Creation {
    std::int64_t result = 0;
    std::uint32_t line = 0;
  };

  void write_counts();
  void write_creations(model::Job& job);
  void write_errors(model::Job& job);

  Roster roster_;
  std::map<std::tuple<model::CommunicatorId, model::Operation, Roster::Process>, Count> counts_;
  std::map<std::tuple<model::CommunicatorId, Roster::Process>, Creation> creations_;
  std::map<std::tuple<Roster::Process, model::CommunicatorId, std::string>, std::uint32_t> errors_;
};

// The lists of a RAS text report: how the ranks of a communicator divide by a count or a status. Only sets of
// few ranks are listed by name; where one set is not named and all others are, it is all the rest.
struct RasShare {
  std::string_view value;
  int ranks = 0;           // as the report counts them
  std::vector<int> named;  // as many as it names
  std::uint32_t line = 0;
};

// Names the ranks of the one unnamed share, where sizes add up. `absent`: ranks that are in no share.
void name_the_rest(std::vector<RasShare>& shares, int communicator_size, const std::set<int>& absent);

}  // namespace lockstep::readers
