#include "service/job/resolve.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "service/job/guess_framework.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScript = std::size_t{16} << 20;

using Faults = std::vector<FieldFault>;

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
    job.choose("framework", std::string(word_for(job.framework)),
               spec.framework ? "as asked" : "a command of its own");
    return {};
  }
  const auto text = text_of_script(spec);
  if (!text.ok()) return {{"/script", fmt::format("cannot be read: {}", text.error().why)}};
  const Guess guess = guess_framework(text.value(), spec.environment);
  job.framework = spec.framework.value_or(guess.framework);
  job.choose("framework", std::string(word_for(job.framework)), spec.framework ? "as asked" : guess.reason);
  return {};
}

// Names only: the values are nobody's business, and are forgotten.
void tell_environment(Job& job) {
  if (job.spec.environment.empty()) return;
  std::string names;
  for (const auto& [name, value] : job.spec.environment) names += (names.empty() ? "" : " ") + name;
  job.choose(kEnvironmentChoice, names, "as asked; the values are forgotten when the job is over");
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

Faults resolve(Job& job, Cluster& cluster) {
  Faults faults = faults_of_places(job.spec);
  if (faults.empty()) faults = choose_framework(job);
  if (faults.empty()) faults = cluster.choose(job);
  if (faults.empty()) tell_environment(job);
  return faults;
}

}  // namespace lockstep::service
