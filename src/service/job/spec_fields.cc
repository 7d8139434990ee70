#include "service/job/spec_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/closest.h"
#include "service/job/field_check.h"
#include "service/job/sent_files.h"

namespace lockstep::service {
namespace {

using base::Json;

constexpr std::int64_t kMostWorkers = 4096;
constexpr std::int64_t kLongestText = 4096;

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
     kMostWorkers, set_workers},
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
     kMostWorkers, [](const Json& value, JobSpec& spec) { spec.nodes = value.get<int>(); }},
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

}  // namespace lockstep::service
