#include "service/job/field_check.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "launchers/rank_variables.h"
#include "service/job/sent_files.h"

namespace lockstep::service {
namespace {

using base::Json;
using Faults = std::vector<FieldFault>;

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool is_integer_in(const Json& value, std::int64_t least, std::int64_t most) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return false;
  return value.is_number_integer() && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
}

Faults faults_of_text(const SpecField& field, const Json& value) {
  const std::string pointer = json_pointer(field.name);
  if (!value.is_string()) return {{pointer, "must be a text"}};
  const std::string text = value.get<std::string>();
  if (text.empty()) return {{pointer, "must not be empty"}};
  if (has_nul(text)) return {{pointer, "must not hold a NUL byte"}};
  if (static_cast<std::int64_t>(text.size()) > field.most) {
    return {{pointer, fmt::format("must have at most {} bytes", field.most)}};
  }
  return {};
}

Faults faults_of_integer(const SpecField& field, const Json& value) {
  if (is_integer_in(value, field.least, field.most)) return {};
  return {{json_pointer(field.name),
           fmt::format("must be a whole number from {} to {}", field.least, field.most)}};
}

Faults faults_of_words(const SpecField& field, const Json& value) {
  const std::string pointer = json_pointer(field.name);
  const bool are_words = value.is_array() && std::ranges::all_of(value, [](const Json& word) {
                           return word.is_string() && !has_nul(word.get<std::string>());
                         });
  if (!are_words) return {{pointer, "must be a list of texts without NUL bytes"}};
  const auto count = static_cast<std::int64_t>(value.size());
  if (count >= field.least && count <= field.most) return {};
  return {{pointer, fmt::format("must have from {} to {} words", field.least, field.most)}};
}

Faults faults_of_texts(const SpecField& field, const Json& value) {
  if (!value.is_object()) return {{json_pointer(field.name), "must be an object of texts"}};
  if (static_cast<std::int64_t>(value.size()) > field.most) {
    return {{json_pointer(field.name), fmt::format("must have at most {} members", field.most)}};
  }
  Faults faults;
  for (const auto& [name, text] : value.items()) {
    if (!text.is_string()) faults.push_back({json_pointer(field.name, name), "must be a text"});
  }
  return faults;
}

Faults faults_of_files(const SpecField& field, const Json& value) {
  if (!value.is_object()) return {{json_pointer(field.name), "must be an object of files"}};
  if (static_cast<std::int64_t>(value.size()) > field.most) {
    return {{json_pointer(field.name), fmt::format("must have at most {} members", field.most)}};
  }
  Faults faults;
  for (const auto& [path, content] : value.items()) {
    const std::string pointer = json_pointer(field.name, path);
    if (!stays_inside(path)) faults.push_back({pointer, "must be a path inside the job's folder"});
    if (!content_of_file(content))
      faults.push_back({pointer, "must be a text, or an object with base64 alone"});
  }
  return faults;
}

Faults faults_of_workers(const SpecField& field, const Json& value) {
  const std::string pointer = json_pointer(field.name);
  if (value.is_object()) {
    const bool has_both = value.size() == 2 && value.contains("min") && value.contains("max") &&
                          is_integer_in(value["min"], field.least, field.most) &&
                          is_integer_in(value["max"], field.least, field.most);
    if (!has_both)
      return {{pointer, fmt::format("must have min and max, from {} to {}", field.least, field.most)}};
    if (value["min"].get<int>() > value["max"].get<int>()) return {{pointer, "min must not be above max"}};
    return {};
  }
  return faults_of_integer(field, value);
}

Faults faults_of_framework(const SpecField& field, const Json& value) {
  if (value.is_string() && framework_named(value.get<std::string>())) return {};
  return {{json_pointer(field.name), "must be pytorch, tensorflow, horovod or plain"}};
}

Faults faults_of_engine(const SpecField& field, const Json& value) {
  if (value.is_string() && engine_named(value.get<std::string>())) return {};
  return {{json_pointer(field.name), "must be local, slurm or kubernetes"}};
}

bool is_variable_name(const std::string& name) {
  return !name.empty() && !has_nul(name) && name.find('=') == std::string::npos;
}

// What the service says of the ranks cannot be said by the user: the job would meet at another place.
bool belongs_to_the_service(const std::string& name) {
  using launchers::kHorovodRank;
  using launchers::kTorchRank;
  constexpr std::string_view kOurs[] = {kTorchRank.rank,   kTorchRank.world_size,   kTorchRank.local_rank,
                                        kHorovodRank.rank, kHorovodRank.world_size, "LOCAL_WORLD_SIZE",
                                        "MASTER_ADDR",     "MASTER_PORT",           "TF_CONFIG",
                                        "LOCKSTEP_RECORD", "LOCKSTEP_JOB"};
  return std::ranges::find(kOurs, name) != std::end(kOurs);
}

}  // namespace

bool stays_inside(const std::string& path) {
  if (path.empty() || has_nul(path) || path.size() > 1024) return false;
  const std::filesystem::path parts(path);
  if (parts.is_absolute() || !parts.has_filename()) return false;
  return std::ranges::none_of(parts, [](const auto& part) { return part == ".." || part == "."; });
}

std::string json_pointer(std::string_view name, std::string_view inner) {
  std::string pointer;
  for (const std::string_view part : {name, inner}) {
    if (part.data() == nullptr) continue;
    pointer += '/';
    for (const char c : part) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return pointer;
}

Faults faults_of_value(const SpecField& field, const Json& value) {
  switch (field.kind) {
    case FieldKind::kText:
    case FieldKind::kPath:
      return faults_of_text(field, value);
    case FieldKind::kInteger:
      return faults_of_integer(field, value);
    case FieldKind::kWords:
      return faults_of_words(field, value);
    case FieldKind::kTexts:
      return faults_of_texts(field, value);
    case FieldKind::kFiles:
      return faults_of_files(field, value);
    case FieldKind::kWorkers:
      return faults_of_workers(field, value);
    case FieldKind::kFramework:
      return faults_of_framework(field, value);
    case FieldKind::kEngine:
      return faults_of_engine(field, value);
  }
  return {};
}

Faults faults_of_whole(const Json& request, const JobSpec& spec) {
  Faults faults;
  const bool has_script = request.contains("script");
  if (has_script == request.contains("command"))
    faults.push_back({"", "give script or command, one of the two"});
  if (!request.contains("workers")) faults.push_back({"/workers", "is missing"});
  if (!has_script && !spec.args.empty())
    faults.push_back({"/args", "belongs to a script; put it into command"});
  if (!spec.files.empty() && !spec.directory.empty()) {
    faults.push_back({"/files", "are laid into the job's own folder; leave directory out"});
  }
  for (const auto& [name, value] : spec.environment) {
    if (!is_variable_name(name) || has_nul(value)) {
      faults.push_back({json_pointer("environment", name), "is no name and value of a variable"});
    } else if (belongs_to_the_service(name)) {
      faults.push_back({json_pointer("environment", name), "is set by the service for every rank"});
    }
  }
  if (spec.memory_most > 0 && spec.memory_most < spec.memory_per_worker)
    faults.push_back({"/memory_most", "must not be below memory_per_worker"});
  const bool is_absolute = spec.directory.empty() || std::filesystem::path(spec.directory).is_absolute();
  if (!is_absolute) faults.push_back({"/directory", "must be an absolute path"});
  return faults;
}

}  // namespace lockstep::service
