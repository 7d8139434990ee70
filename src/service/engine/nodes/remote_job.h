// An attempt as the scheduler of a cluster knows it: handed in there under a name, looked at, ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::service {

enum class RemoteStanding : std::uint8_t { kUnknown, kWaiting, kRunning, kOver };

struct RemoteState {
  RemoteStanding standing = RemoteStanding::kUnknown;
  std::string where = {};      // it runs: "n[1-2]"
  std::string waits_for = {};  // in the scheduler's words
  std::string trouble = {};    // what befell it that its ranks cannot tell; it is ended, if it is not over
  std::vector<int> suspects = {};  // ranks on nodes that do not answer the scheduler
};

class RemoteJob {
 public:
  virtual ~RemoteJob() = default;
  virtual std::string name() const = 0;  // "Slurm job 17"
  virtual RemoteState look() = 0;
  // Of ranks that are lost nobody is asked: they are given up.
  virtual void cancel(const std::vector<int>& lost) = 0;
};

}  // namespace lockstep::service
