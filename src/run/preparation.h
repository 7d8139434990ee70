// What is done before a recorded job starts: which adapters it will use, as far as its command tells, and
// what of them has to be compiled for its framework, so that no rank waits for a compiler.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/spawn.h"

namespace lockstep::run {

struct Preparation {
  std::vector<std::string> adapters;  // "PyTorch 2.13.0, prebuilt recorder"
  std::vector<std::string> lost;      // sentences: what will not be recorded, and what helps
  std::optional<int> interrupted_by;  // the signal that came meanwhile: the job is not to be started
};

// `python`: the folder of the adapters' Python packages. `tell` gets lines for the user while something is
// built. Whatever goes wrong here leaves the job to be run all the same.
Preparation prepare(const process::Command& job, const std::filesystem::path& python,
                    const std::function<void(std::string_view)>& tell);

// Whether the launcher's variables say that another process of this host does and says all this.
bool is_one_of_several(const std::vector<std::string>& environment);

// The Python that will run the job, by the first word that names one or a program written for one; empty: the
// command does not tell, or it is run elsewhere.
std::string interpreter_of(const process::Command& job);

}  // namespace lockstep::run
