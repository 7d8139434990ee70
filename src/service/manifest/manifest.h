// A job as Kubernetes would be told of it. Nothing is sent anywhere: the manifest is for `kubectl apply`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/job/job.h"

namespace lockstep::service {

// kJob needs no operator: an Indexed Job and a headless Service. The others are what their operators take.
enum class ManifestKind : std::uint8_t { kJob, kPyTorchJob, kMpiJob, kTfJob, kJobSet };

std::optional<ManifestKind> manifest_kind_named(std::string_view word);  // "job", "pytorchjob", ...

struct ManifestRequest {
  std::string name;
  std::string image;
  std::vector<std::string> command;  // of every rank
  Framework framework = Framework::kPlain;
  int workers = 1;
  int cpus_per_worker = 1;
  int gpus_per_worker = 0;
  std::int64_t memory_per_worker = 0;  // bytes; 0: no limit
  int time_limit_s = 0;                // 0: none
  std::map<std::string, std::string> environment;
};

// Objects of Kubernetes' API, as JSON, which is YAML too. An error when ranks of this framework do not meet
// that way.
Result<base::Json> manifest_of(ManifestKind kind, const ManifestRequest& request);

}  // namespace lockstep::service
