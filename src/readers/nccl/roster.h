// Who is who in evidence that names processes and their ranks in communicators, but no global ranks.
//
// NCCL knows no global rank. The largest communicator usually spans the job, and then the rank in it is the
// global one; processes of smaller communicators are found by host, process and device. Where several largest
// communicators contradict each other (tensor-parallel groups without a world), or leave a process out,
// nothing is numbered: a guess would mix two processes into one rank.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

class Roster {
 public:
  using Process = std::size_t;

  // One rank's process: of a process with several devices, one for each device.
  Process process(std::string_view host, std::int64_t pid, int device);
  // A member of which nothing is known but its rank.
  Process nameless_process();
  // All devices of a process; makes one where it was not seen before.
  std::vector<Process> devices_of(std::string_view host, std::int64_t pid);

  model::CommunicatorId communicator(const std::string& name, std::optional<int> size);
  void join(model::CommunicatorId communicator, int rank, Process process);
  std::optional<Process> member(model::CommunicatorId communicator, int rank) const;

  model::RankHistory& history(Process process) { return histories_[process]; }

  // The global rank of each process, kUnknownRank where the evidence does not tell.
  std::vector<int> numbers_by_largest() const;
  std::vector<int> numbers_by(model::CommunicatorId communicator) const;
  std::vector<int> numbers_by_nobody() const;

  // Everything collected so far as a job; the roster is empty afterwards.
  model::Job finish(const Source& source, const std::vector<int>& numbers);

 private:
  struct Group {
    std::string name;
    std::optional<int> size;
    std::vector<std::pair<int, Process>> members;  // in the order in which they were seen
    std::unordered_map<int, Process> by_rank;
  };

  int largest_size() const;
  bool is_whole(const Group& group) const;
  std::vector<int> members_of(const Group& group, const std::vector<int>& numbers) const;
  int host(std::string_view name);

  std::vector<model::RankHistory> histories_;
  std::vector<model::Host> hosts_;
  std::map<std::string, int, std::less<>> host_index_;
  std::map<std::tuple<int, std::int64_t, int>, Process> processes_;  // by host, pid and device
  std::vector<Group> groups_;                                        // by CommunicatorId
  std::unordered_map<std::string, std::size_t> group_index_;
};

}  // namespace lockstep::readers
