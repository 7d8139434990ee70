// Every field of a request for a job, once: the decoder and the OpenAPI document are made from this table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

// Whether the values of a request are what its fields can hold.

// "/labels/a~1b": names inside a pointer are escaped as RFC 6901 has it.
std::string json_pointer(std::string_view name, std::string_view inner = {});

// Whether a path that somebody else wrote leads to a file below the folder that it is meant for.
bool stays_inside(const std::string& path);

std::vector<FieldFault> faults_of_value(const SpecField& field, const base::Json& value);

// What no field shows alone: script or command, paths that stay in the job's folder, names of variables.
std::vector<FieldFault> faults_of_whole(const base::Json& request, const JobSpec& spec);

// Files that come along with a request: path and content, a text where it is one, base64 where it is not.

// None: it is neither.
std::optional<std::string> content_of_file(const base::Json& value);

// Of a value in which every content is one.
std::map<std::string, std::string> decode_files(const base::Json& value);
base::Json encode_files(const std::map<std::string, std::string>& files);

}  // namespace lockstep::service
