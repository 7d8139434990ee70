// Whether a job that somebody hands in can run, as what, and whether it is a new one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/cluster.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"
#include "service/store/store.h"

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

  bool waits_for_its_turn() const { return is_new && refusal == Refusal::kNone; }
};

// The job as it would run, or why it never can.
Submitted admissible(const Submission& submission, const Clusters& clusters, std::int64_t now_ms);

// Writes down those that can run, all with one write to the disk. One answer for each, in their order. An
// error: nobody knows which of them the store has.
Result<std::vector<Submitted>> admit(std::span<const Submission> submissions, const Clusters& clusters,
                                     Store& store, std::int64_t now_ms);

}  // namespace lockstep::service
