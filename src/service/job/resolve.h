// From what was asked to what will run: every value that the user left open is chosen here, with its reason;
// what can never run is refused here, with its reason.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/cluster.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

// Which framework trains, told from what a script imports.

struct Guess {
  Framework framework = Framework::kPlain;
  std::string reason;  // "line 8 imports torch"
};

// Horovod comes before the framework whose tensors it reduces; Keras follows its backend, which the
// environment or the script names.
Guess guess_framework(std::string_view script, const std::map<std::string, std::string>& environment);

// The choice that names the variables of a job, with blanks between them.
constexpr const char* kEnvironmentChoice = "environment";

// `job.spec` in; framework, resources and choices out. Faults: the job is refused.
std::vector<FieldFault> resolve(Job& job, Cluster& cluster);

// Where the script of a spec lies: absolute, or inside the folder of the job.
std::filesystem::path script_path(const JobSpec& spec, const std::filesystem::path& own_folder);

}  // namespace lockstep::service
