#include "cli/submitted_environment.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/process/environment.h"
#include "base/text_fields.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kNames[] = {"PATH",         "HOME",      "USER",       "LANG",
                                       "LC_ALL",       "TMPDIR",    "PYTHONPATH", "VIRTUAL_ENV",
                                       "CONDA_PREFIX", "CUDA_HOME", "HF_HOME",    "LD_LIBRARY_PATH"};
constexpr std::string_view kPrefixes[] = {"TF_",  "KERAS_", "TORCH_", "NCCL_",    "GLOO_",
                                          "XLA_", "OMP_",   "MKL_",   "OPENBLAS_"};

bool goes_along(std::string_view name, From from) {
  if (name == "TF_CONFIG") return false;  // the service says who is who
  const bool leads_somewhere = std::ranges::find(kNames, name) != std::end(kNames);
  return (leads_somewhere && from == From::kThisMachine) ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

Result<std::map<std::string, std::string>> submitted_environment(const std::vector<std::string>& environment,
                                                                 const std::vector<std::string>& asked,
                                                                 From from) {
  std::map<std::string, std::string> here;
  std::map<std::string, std::string> sent;
  for (const std::string& entry : environment) {
    const std::string name(base::word_of(entry, '='));
    if (name.size() >= entry.size()) continue;
    here[name] = entry.substr(name.size() + 1);
    if (goes_along(name, from)) sent[name] = here[name];
  }
  for (const std::string& wish : asked) {
    const std::string name(base::word_of(wish, '='));
    if (name.size() < wish.size()) {
      sent[name] = wish.substr(name.size() + 1);
    } else if (here.contains(name)) {
      sent[name] = here[name];
    } else {
      return Error{"wrong value for '--env'", wish, "no such variable is set here", "as NAME=VALUE"};
    }
  }
  return sent;
}

std::string interpreter_in(const std::string& path) {
  for (const char* name : {"python3", "python"}) {
    for (const std::string_view folder : process::folders_in(path)) {
      const std::filesystem::path program = std::filesystem::path(folder) / name;
      if (program.is_absolute() && process::is_program(program)) return program.string();
    }
  }
  return "";
}

}  // namespace lockstep::cli
