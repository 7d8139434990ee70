#include "service/job/spec_fields.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/closest.h"
#include "base/escape.h"
#include "launchers/rank_variables.h"

namespace lockstep::service {

namespace {

using base::Json;

constexpr std::int64_t kMaxWorkers = 4096;
constexpr std::int64_t kLongestText = 4096;
constexpr std::size_t kLongestFileName = 255;  // bytes, of one part of a path: what Linux's file systems hold

std::map<std::string, std::string> texts_in(const Json& value) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, text] : value.items()) texts[name] = text.get<std::string>();
  return texts;
}

void set_workers(const Json& value, JobSpec& spec) {
  if (value.is_number_integer()) {
    spec.workers_min = spec.workers_max = value.get<int>();
  } else {
    spec.workers_min = value["min"].get<int>();
    spec.workers_max = value["max"].get<int>();
  }
}

constexpr SpecField kFields[] = {
    {"script", FieldKind::kPath, "The training script, which every rank runs; or give command", 1,
     kLongestText, [](const Json& value, JobSpec& spec) { spec.script = value.get<std::string>(); }},
    {"command", FieldKind::kWords, "What every rank runs, word by word, in place of script", 1, kLongestText,
     [](const Json& value, JobSpec& spec) { spec.command = value.get<std::vector<std::string>>(); }},
    {"args", FieldKind::kWords, "Arguments of the script", 0, kLongestText,
     [](const Json& value, JobSpec& spec) { spec.args = value.get<std::vector<std::string>>(); }},
    {"workers", FieldKind::kWorkers, "How many ranks; with min and max the job takes what is free", 1,
     kMaxWorkers, set_workers},
    {"framework", FieldKind::kFramework, "Told from the script's imports when it is not given", 0, 0,
     [](const Json& value, JobSpec& spec) { spec.framework = framework_named(value.get<std::string>()); }},
    {"python", FieldKind::kPath, "The interpreter of the script; python3 when it is not given", 1,
     kLongestText, [](const Json& value, JobSpec& spec) { spec.python = value.get<std::string>(); }},
    {"directory", FieldKind::kPath, "Where the ranks run; a folder of the job's own when it is not given", 1,
     kLongestText, [](const Json& value, JobSpec& spec) { spec.directory = value.get<std::string>(); }},
    {"cpus_per_worker", FieldKind::kInteger, "Cores for each rank", 1, 4096,
     [](const Json& value, JobSpec& spec) { spec.cpus_per_worker = value.get<int>(); }},
    {"gpus_per_worker", FieldKind::kInteger, "GPUs for each rank", 0, 64,
     [](const Json& value, JobSpec& spec) { spec.gpus_per_worker = value.get<int>(); }},
    {"memory_per_worker", FieldKind::kInteger, "Bytes of memory that each rank may have", 1 << 20,
     std::int64_t{1} << 50,
     [](const Json& value, JobSpec& spec) { spec.memory_per_worker = value.get<std::int64_t>(); }},
    {"time_limit_s", FieldKind::kInteger, "Seconds after which an attempt is ended", 1, 366 * 86'400,
     [](const Json& value, JobSpec& spec) { spec.time_limit_s = value.get<int>(); }},
    {"environment", FieldKind::kTexts, "Variables of the ranks; their values are never shown again", 0, 1024,
     [](const Json& value, JobSpec& spec) { spec.environment = texts_in(value); }},
    {"files", FieldKind::kFiles,
     "Files that are laid into the job's own folder before it starts: path and content, as text or as "
     "base64",
     0, 1024, [](const Json& value, JobSpec& spec) { spec.files = decode_files(value); }},
    {"retries", FieldKind::kInteger,
     "How often a job is started again after a failure of which nothing is known; 0 when it is not given", 0,
     100, [](const Json& value, JobSpec& spec) { spec.retries = value.get<int>(); }},
    {"repairs", FieldKind::kInteger,
     "How often a job is started again after a fault that can be repaired or passed by; 3 when it is not "
     "given",
     0, 100, [](const Json& value, JobSpec& spec) { spec.repairs = value.get<int>(); }},
    {"checkpoint_directory", FieldKind::kPath, "Told to every attempt as LOCKSTEP_CHECKPOINT_DIR", 1,
     kLongestText,
     [](const Json& value, JobSpec& spec) { spec.checkpoint_directory = value.get<std::string>(); }},
    {"priority", FieldKind::kInteger, "Higher comes first", -1000, 1000,
     [](const Json& value, JobSpec& spec) { spec.priority = value.get<int>(); }},
    {"labels", FieldKind::kTexts, "Names to find the job by", 0, 64,
     [](const Json& value, JobSpec& spec) { spec.labels = texts_in(value); }},
    {"engine", FieldKind::kEngine, "Who runs the ranks; the service's own when it is not given", 0, 0,
     [](const Json& value, JobSpec& spec) { spec.engine = engine_named(value.get<std::string>()); }},
    {"nodes", FieldKind::kInteger,
     "Over how many nodes of the cluster the ranks are spread; as few as can be when it is not given", 1,
     kMaxWorkers, [](const Json& value, JobSpec& spec) { spec.nodes = value.get<int>(); }},
    {"partition", FieldKind::kText, "Of Slurm; its default when it is not given", 1, 256,
     [](const Json& value, JobSpec& spec) { spec.partition = value.get<std::string>(); }},
    {"account", FieldKind::kText, "To which Slurm charges the job", 1, 256,
     [](const Json& value, JobSpec& spec) { spec.account = value.get<std::string>(); }},
    {"memory_most", FieldKind::kInteger,
     "Bytes to which memory_per_worker may be raised after a rank went over it", 1 << 20,
     std::int64_t{1} << 50,
     [](const Json& value, JobSpec& spec) { spec.memory_most = value.get<std::int64_t>(); }},
};

std::string unknown_field(const std::string& name) {
  std::vector<std::string_view> known;
  for (const SpecField& field : kFields) known.push_back(field.name);
  const auto meant = base::closest(name, known);
  return meant ? fmt::format("no such field; was {} meant?", *meant) : "no such field";
}

}  // namespace

std::span<const SpecField> spec_fields() {
  return kFields;
}

DecodedSpec decode_spec(const Json& request) {
  DecodedSpec decoded;
  if (!request.is_object()) return {{}, {{"", "the body must be a JSON object"}}};
  for (const auto& [name, value] : request.items()) {
    const auto field = std::ranges::find(kFields, name, &SpecField::name);
    if (field == std::end(kFields)) {
      decoded.faults.push_back({json_pointer(name), unknown_field(name)});
      continue;
    }
    auto faults = faults_of_value(*field, value);
    if (faults.empty()) field->set(value, decoded.spec);
    decoded.faults.insert(decoded.faults.end(), faults.begin(), faults.end());
  }
  if (decoded.faults.empty()) decoded.faults = faults_of_whole(request, decoded.spec);
  return decoded;
}

Json encode_spec(const JobSpec& spec) {
  Json json = Json::object();
  if (!spec.script.empty()) json["script"] = spec.script;
  if (!spec.command.empty()) json["command"] = spec.command;
  if (!spec.args.empty()) json["args"] = spec.args;
  if (spec.workers_min == spec.workers_max) {
    json["workers"] = spec.workers_min;
  } else {
    json["workers"] = {{"min", spec.workers_min}, {"max", spec.workers_max}};
  }
  if (spec.framework) json["framework"] = word_for(*spec.framework);
  if (!spec.python.empty()) json["python"] = spec.python;
  if (!spec.directory.empty()) json["directory"] = spec.directory;
  if (spec.cpus_per_worker) json["cpus_per_worker"] = *spec.cpus_per_worker;
  if (spec.gpus_per_worker) json["gpus_per_worker"] = *spec.gpus_per_worker;
  if (spec.memory_per_worker > 0) json["memory_per_worker"] = spec.memory_per_worker;
  if (spec.time_limit_s > 0) json["time_limit_s"] = spec.time_limit_s;
  if (!spec.files.empty()) json["files"] = encode_files(spec.files);
  if (spec.retries > 0) json["retries"] = spec.retries;
  if (spec.repairs != JobSpec().repairs) json["repairs"] = spec.repairs;
  if (!spec.checkpoint_directory.empty()) json["checkpoint_directory"] = spec.checkpoint_directory;
  if (spec.priority != 0) json["priority"] = spec.priority;
  if (!spec.labels.empty()) json["labels"] = spec.labels;
  if (spec.engine) json["engine"] = word_for(*spec.engine);
  if (spec.nodes > 0) json["nodes"] = spec.nodes;
  if (!spec.partition.empty()) json["partition"] = spec.partition;
  if (!spec.account.empty()) json["account"] = spec.account;
  if (spec.memory_most > 0) json["memory_most"] = spec.memory_most;
  return json;
}

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
  const auto normal = [](const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  };
  std::set<std::string> names;
  for (const auto& [path, content] : value.items()) names.insert(normal(path));
  Faults faults;
  for (const auto& [path, content] : value.items()) {
    const std::string pointer = json_pointer(field.name, path);
    if (!stays_inside(path)) faults.push_back({pointer, "must be a path inside the job's folder"});
    if (!content_of_file(content))
      faults.push_back({pointer, "must be a text, or an object with base64 alone"});
    // As "t.py" beside "t.py/x": no file system can.
    const std::string as_folder = normal(path) + '/';
    if (const auto below = names.lower_bound(as_folder);
        below != names.end() && below->starts_with(as_folder))
      faults.push_back({pointer, fmt::format("is the folder of {} too", *below)});
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
  return std::ranges::none_of(parts, [](const auto& part) {
    return part == ".." || part == "." || part.native().size() > kLongestFileName;
  });
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

namespace {

constexpr const char* kBase64 = "base64";

}  // namespace

using base::Json;

std::optional<std::string> content_of_file(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool is_bytes = value.is_object() && value.size() == 1 && value.contains(kBase64);
  if (!is_bytes || !value[kBase64].is_string()) return std::nullopt;
  return base::from_base64(value[kBase64].get_ref<const std::string&>());
}

std::map<std::string, std::string> decode_files(const Json& value) {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : value.items()) files[path] = content_of_file(content).value_or("");
  return files;
}

Json encode_files(const std::map<std::string, std::string>& files) {
  Json json = Json::object();
  for (const auto& [path, content] : files) {
    const bool is_text = base::to_valid_utf8(content) == content;
    json[path] = is_text ? Json(content) : Json{{kBase64, base::to_base64(content)}};
  }
  return json;
}

}  // namespace lockstep::service
