// Every field of a request for a job, once: the decoder and the OpenAPI document are made from this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/job/job.h"

namespace lockstep::service {

enum class FieldKind : std::uint8_t {
  kText,
  kPath,
  kInteger,
  kWords,
  kTexts,
  kFiles,
  kWorkers,
  kFramework,
  kEngine
};

struct SpecField {
  std::string_view name;
  FieldKind kind;
  std::string_view meaning;
  std::int64_t least = 0;  // of an integer; of a text and the rest, how many
  std::int64_t most = 0;
  void (*set)(const base::Json& value, JobSpec& spec);
};

std::span<const SpecField> spec_fields();

// A fault in a request: where, as a JSON Pointer, and what.
struct FieldFault {
  std::string pointer;
  std::string detail;

  bool operator==(const FieldFault&) const = default;
};

struct DecodedSpec {
  JobSpec spec;
  std::vector<FieldFault> faults;  // none: the spec is sound
};

DecodedSpec decode_spec(const base::Json& request);

// As a request that gives the same spec, without the values of the environment: they are secrets.
base::Json encode_spec(const JobSpec& spec);

}  // namespace lockstep::service
