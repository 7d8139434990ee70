#include "service/job/resolve.h"

#include <array>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

struct Import {
  std::string_view module;
  int line = 0;
};

struct Imports {
  std::optional<Import> horovod;
  std::optional<Import> tensorflow;
  std::optional<Import> torch;
  std::optional<Import> keras;
  bool names_torch_as_kerass_backend = false;
};

constexpr std::array<std::string_view, 6> kBringTorch = {"torch",      "lightning", "pytorch_lightning",
                                                         "accelerate", "deepspeed", "transformers"};

void note(std::optional<Import>& place, std::string_view module, int line) {
  if (!place) place = Import{module, line};
}

void note_module(Imports& imports, std::string_view name, int line) {
  const std::string_view top = base::word_of(name, ". \t,;#\r");
  if (top == "horovod") note(imports.horovod, top, line);
  if (top == "tensorflow") note(imports.tensorflow, top, line);
  if (top == "keras") note(imports.keras, top, line);
  for (const std::string_view module : kBringTorch) {
    if (top == module) note(imports.torch, top, line);
  }
}

// "import a.b as c, d" or "from a.b import c"
void note_statement(Imports& imports, std::string_view statement, int line) {
  if (statement.starts_with("from ")) return note_module(imports, base::trimmed(statement.substr(5)), line);
  if (!statement.starts_with("import ")) return;
  std::string_view rest = statement.substr(7);
  while (!rest.empty()) {
    const std::string_view part = base::word_of(rest, ',');
    note_module(imports, base::trimmed(part), line);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
}

Imports imports_of(std::string_view script) {
  Imports imports;
  for (int line = 1; !script.empty(); ++line) {
    const std::string_view whole = base::word_of(script, '\n');
    const std::string_view statement = base::trimmed(whole);
    note_statement(imports, statement, line);
    if (statement.find("KERAS_BACKEND") != std::string_view::npos &&
        statement.find("torch") != std::string_view::npos) {
      imports.names_torch_as_kerass_backend = true;
    }
    script.remove_prefix(std::min(whole.size() + 1, script.size()));
  }
  return imports;
}

Guess because_of(Framework framework, const Import& import) {
  return {framework, fmt::format("line {} imports {}", import.line, import.module)};
}

}  // namespace

Guess guess_framework(std::string_view script, const std::map<std::string, std::string>& environment) {
  const Imports imports = imports_of(script);
  if (imports.horovod) return because_of(Framework::kHorovod, *imports.horovod);
  const auto backend = environment.find("KERAS_BACKEND");
  const bool keras_on_torch =
      imports.names_torch_as_kerass_backend || (backend != environment.end() && backend->second == "torch");
  if (imports.torch) return because_of(Framework::kPyTorch, *imports.torch);
  if (imports.keras && keras_on_torch) return {Framework::kPyTorch, "Keras with KERAS_BACKEND=torch"};
  if (imports.tensorflow) return because_of(Framework::kTensorFlow, *imports.tensorflow);
  if (imports.keras) return because_of(Framework::kTensorFlow, *imports.keras);
  return {Framework::kPlain, "the script imports no framework that is known"};
}

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
