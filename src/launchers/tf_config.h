// TF_CONFIG: TensorFlow's jobs have no launcher; a variable tells each process the cluster and its own place
// in it. The one reader of it in the tool.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lockstep::launchers {

struct TfConfig {
  struct Job {
    std::string name;  // "chief", "worker", "ps"
    std::vector<std::string> addresses;
  };
  base::Json document;              // an empty object when the text is none
  std::vector<Job> cluster;         // in the order of the text
  bool has_cluster = false;         // as an object
  std::optional<base::Json> type;   // of the task: text or a whole number
  std::optional<base::Json> index;  // the same
  std::vector<std::string> faults;  // why it is no cluster with a task, in the order in which they were met

  const Job* job(std::string_view name) const;
};

TfConfig read_tf_config(std::string_view text);

}  // namespace lockstep::launchers
