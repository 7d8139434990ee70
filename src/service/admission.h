// Whether a job that somebody hands in can run, and as what.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/engine/cluster.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

// kOtherBody: the idempotency key was used for another request; kDeleted: its job is no more.
enum class Refusal : std::uint8_t { kNone, kInvalid, kOtherBody, kDeleted };

struct Submission {
  std::string owner;
  base::Json request;
  std::string_view body;  // the text of the request
  std::optional<std::string> idempotency_key;
};

struct Submitted {
  Refusal refusal = Refusal::kNone;
  std::vector<FieldFault> faults;
  bool is_new = true;
  Job job;
};

// Where the jobs of a service can run, and where those do that do not say.
struct Clusters {
  std::map<EngineKind, std::unique_ptr<Cluster>> by_engine;
  EngineKind usual = EngineKind::kLocal;

  Cluster& of(const Job& job) const { return *by_engine.at(job.engine); }
};

// The job as it would run, or why it never can.
Submitted admissible(const Submission& submission, const Clusters& clusters);

}  // namespace lockstep::service
