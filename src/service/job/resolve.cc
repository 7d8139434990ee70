#include "service/job/resolve.h"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "service/job/guess_framework.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScript = std::size_t{16} << 20;

using Faults = std::vector<FieldFault>;

void choose(Job& job, std::string name, std::string value, std::string reason) {
  job.choices.push_back({std::move(name), std::move(value), std::move(reason)});
}

// The text of the script; a fault when nobody can run it.
Result<std::string> text_of_script(const JobSpec& spec) {
  if (const auto file = spec.files.find(spec.script); file != spec.files.end()) return file->second;
  const fs::path path = script_path(spec, "");
  if (!path.is_absolute()) {
    return Error{
        "", "",
        fmt::format("{} is not among files, and without directory nobody knows where it lies", spec.script),
        ""};
  }
  return base::read_file(path, kLargestScript);
}

Faults choose_framework(Job& job) {
  const JobSpec& spec = job.spec;
  if (spec.script.empty()) {
    job.framework = spec.framework.value_or(Framework::kPlain);
    choose(job, "framework", std::string(word_for(job.framework)),
           spec.framework ? "as asked" : "a command of its own");
    return {};
  }
  const auto text = text_of_script(spec);
  if (!text.ok()) return {{"/script", fmt::format("cannot be read: {}", text.error().why)}};
  const Guess guess = guess_framework(text.value(), spec.environment);
  job.framework = spec.framework.value_or(guess.framework);
  choose(job, "framework", std::string(word_for(job.framework)), spec.framework ? "as asked" : guess.reason);
  return {};
}

void choose_resources(Job& job, const Resources& machine) {
  const JobSpec& spec = job.spec;
  if (spec.cpus_per_worker) {
    job.per_worker.millicpus = std::int64_t{1000} * *spec.cpus_per_worker;
    choose(job, "cpus_per_worker", std::to_string(*spec.cpus_per_worker), "as asked");
  } else {
    const std::int64_t share = machine.millicpus / spec.workers_min;
    job.per_worker.millicpus = std::clamp<std::int64_t>(share, 1, 1000);
    choose(job, "cpus_per_worker", fmt::format("{:g}", static_cast<double>(job.per_worker.millicpus) / 1000),
           share >= 1000 ? "one core for each rank" : "the cores of this machine shared by the ranks");
  }
  const bool has_gpu_for_each = machine.gpus >= spec.workers_min && machine.gpus > 0;
  job.per_worker.gpus = spec.gpus_per_worker.value_or(has_gpu_for_each ? 1 : 0);
  choose(job, "gpus_per_worker", std::to_string(job.per_worker.gpus),
         spec.gpus_per_worker ? "as asked"
                              : (has_gpu_for_each ? "one for each rank" : "there is none for each rank"));
  job.per_worker.memory_bytes = spec.memory_per_worker;
  choose(job, "memory_per_worker",
         spec.memory_per_worker > 0 ? std::to_string(spec.memory_per_worker) : "unlimited",
         spec.memory_per_worker > 0 ? "as asked" : "no limit was asked for");
}

void choose_meeting_place(Job& job) {
  switch (job.framework) {
    case Framework::kPyTorch:
      return choose(job, "rendezvous", "MASTER_ADDR and MASTER_PORT on 127.0.0.1",
                    "all ranks are on this host");
    case Framework::kTensorFlow:
      return choose(job, "rendezvous", "TF_CONFIG with one port of 127.0.0.1 for each rank",
                    "all ranks are on this host");
    case Framework::kHorovod:
      return choose(job, "rendezvous", "Gloo over 127.0.0.1, met at the service's own store",
                    "all ranks are on this host");
    case Framework::kPlain:
      return choose(job, "rendezvous", "RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT",
                    "what most programs read");
  }
}

// Names only: the values are nobody's business, and are forgotten.
void tell_environment(Job& job) {
  if (job.spec.environment.empty()) return;
  std::string names;
  for (const auto& [name, value] : job.spec.environment) names += (names.empty() ? "" : " ") + name;
  choose(job, kEnvironmentChoice, names, "as asked; the values are forgotten when the job is over");
}

Faults faults_of_size(const Job& job, const Resources& machine) {
  const Resources need = job.per_worker * job.spec.workers_min;
  Faults faults;
  if (need.millicpus > machine.millicpus) {
    faults.push_back({"/cpus_per_worker",
                      fmt::format("{} workers need {} cores; this machine has {}", job.spec.workers_min,
                                  need.millicpus / 1000, machine.millicpus / 1000)});
  }
  if (need.gpus > machine.gpus) {
    faults.push_back({"/gpus_per_worker", fmt::format("{} workers need {} GPUs; this machine has {}",
                                                      job.spec.workers_min, need.gpus, machine.gpus)});
  }
  if (need.memory_bytes > machine.memory_bytes) {
    faults.push_back(
        {"/memory_per_worker", fmt::format("{} workers need {} bytes; this machine has {}",
                                           job.spec.workers_min, need.memory_bytes, machine.memory_bytes)});
  }
  return faults;
}

Faults faults_of_places(const JobSpec& spec) {
  Faults faults;
  const auto check = [&](const std::string& folder, const char* pointer) {
    std::error_code ignored;
    if (!folder.empty() && !fs::is_directory(folder, ignored)) faults.push_back({pointer, "is no folder"});
  };
  check(spec.directory, "/directory");
  const bool is_path = spec.python.find('/') != std::string::npos;
  if (is_path && ::access(spec.python.c_str(), X_OK) != 0) faults.push_back({"/python", "is no program"});
  return faults;
}

}  // namespace

fs::path script_path(const JobSpec& spec, const fs::path& own_folder) {
  const fs::path script(spec.script);
  if (script.is_absolute()) return script;
  return (spec.directory.empty() ? own_folder : fs::path(spec.directory)) / script;
}

Faults resolve(Job& job, const Resources& machine) {
  Faults faults = faults_of_places(job.spec);
  if (faults.empty()) faults = choose_framework(job);
  if (!faults.empty()) return faults;
  choose_resources(job, machine);
  choose_meeting_place(job);
  tell_environment(job);
  return faults_of_size(job, machine);
}

}  // namespace lockstep::service
