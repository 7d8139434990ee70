#include "config/files/tf_config.h"

#include <fmt/format.h>

#include "base/json.h"

namespace lockstep::config {
namespace {

void say_fault(const std::string& why, const Reading& reading) {
  reading.settings.set(field::kTensorflowFault, why, reading.origin("TF_CONFIG"));
}

// A job is a list of addresses, or, as older code writes it, a map from index to address.
void read_job(const std::string& job, const base::Json& tasks, const Reading& reading) {
  const std::string path = field::member(field::kTensorflowCluster, job);
  reading.settings.set(path, base::Json::array(), reading.origin("TF_CONFIG"));
  if (!tasks.is_structured()) return say_fault(fmt::format("{} is not a list of addresses", job), reading);
  for (const base::Json& task : tasks) {
    if (!task.is_string()) return say_fault(fmt::format("an address of {} is not text", job), reading);
    reading.settings.append(path, task, reading.origin("TF_CONFIG"));
  }
}

}  // namespace

void read_tf_config(std::string_view text, const Reading& reading) {
  const auto parsed = base::parse_json(text, "TF_CONFIG");
  reading.settings.append(field::kLaunchers, "tf_config", reading.origin("TF_CONFIG"));
  if (!parsed.ok()) return say_fault("not JSON: " + parsed.error().why, reading);
  const base::Json& config = parsed.value();
  if (!config.is_object()) return say_fault("not a JSON object", reading);
  const auto cluster = config.find("cluster");
  if (cluster == config.end()) {
    say_fault("no cluster", reading);
  } else if (!cluster->is_object()) {
    say_fault("the cluster is not a JSON object", reading);
  } else {
    for (const auto& [job, tasks] : cluster->items()) read_job(job, tasks, reading);
  }
  const auto task = config.find("task");
  if (task == config.end() || !task->is_object()) {
    say_fault("no task", reading);
    return;
  }
  for (const std::string_view path :
       {std::string_view(field::kTensorflowTaskType), std::string_view(field::kTensorflowTaskIndex)}) {
    const std::string_view member = path.substr(path.rfind('/') + 1);
    const auto value = task->find(member);
    if (value == task->end()) {
      say_fault(fmt::format("the task has no {}", member), reading);
    } else if (value->is_string() || value->is_number_integer()) {
      reading.settings.set(path, *value, reading.origin("TF_CONFIG"));
    }
  }
}

}  // namespace lockstep::config
