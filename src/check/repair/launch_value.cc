#include "check/repair/launch_value.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/repair/host_file.h"
#include "check/repair/launch_text.h"
#include "check/repair/manifest_value.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;

// As people type it: "--master-addr", "--mca btl_tcp_if_include".
std::string usual_flag(const std::string& path) {
  if (const std::string parameter = field::name_inside(path, field::kMpiParameters); !parameter.empty())
    return fmt::format("--mca {}", parameter);
  std::string name = path.substr(path.find('/') + 1);
  if (name == "np") return "-np";
  if (!field::is_inside(path, field::kAccelerate) && !field::is_inside(path, field::kDeepspeed))
    std::ranges::replace(name, '_', '-');
  return "--" + name;
}

std::string text_in(const config::Settings& launch, const std::string& path) {
  const base::Json* const value = launch.find(path);
  if (value == nullptr) return "";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

// Where a launch stands: a script, or the command that was given.
struct Home {
  std::string file = {};  // empty: the command
  std::int64_t line = 1;  // of the launcher or the program
};

std::optional<Home> home_of(const config::Settings& launch) {
  for (const std::string_view section : {field::kTorchrun, field::kMpi, field::kHorovod, field::kDeepspeed,
                                         field::kAccelerate, field::kProgram, field::kVariables}) {
    const config::Origin* const origin = launch.origin_of(section);
    if (!launch.has(section) || origin == nullptr) continue;
    if (origin->file.empty()) return Home{};
    if (origin->line) return Home{origin->file, *origin->line};
  }
  return std::nullopt;
}

class LaunchValue {
 public:
  LaunchValue(Situation& situation, const config::Settings& launch, const std::string& path)
      : situation_(situation), launch_(launch), path_(path) {
    const config::Origin* const found = launch.has(path) ? launch.origin_of(path) : nullptr;
    if (found != nullptr && !found->how.starts_with("default")) origin_ = *found;
  }

  bool set(const std::optional<std::string>& value) {
    if (value && launch_.has(path_) && text_in(launch_, path_) == *value) return true;
    if (!value && !launch_.has(path_)) return true;
    return origin_ ? change(value) : add(value);
  }

 private:
  bool change(const std::optional<std::string>& value) {
    constexpr std::string_view kVariable = "variable ";
    constexpr std::string_view kFlag = "flag ";
    const std::string& how = origin_->how;
    if (how.starts_with(kVariable)) return set_variable(how.substr(kVariable.size()), value);
    if (!how.starts_with(kFlag)) return false;
    const std::string flag = how.substr(kFlag.size());
    if (origin_->file.empty()) return set_flag(situation_.inputs.command, flag, value);
    return origin_->line && rewrite(origin_->file, [&](const std::string& text) {
             return with_flag(text, *origin_->line, flag, value);
           });
  }

  bool set_variable(const std::string& name, const std::optional<std::string>& value) {
    if (origin_->file.empty()) return set_own_variable(name, value);
    return origin_->line && rewrite(origin_->file, [&](const std::string& text) {
             return with_variable(text, *origin_->line, name, value);
           });
  }

  // A word before the command, or a variable of the environment.
  bool set_own_variable(const std::string& name, const std::optional<std::string>& value) {
    const std::string start = name + "=";
    config::Words& command = situation_.inputs.command;
    const auto word =
        std::ranges::find_if(command, [&](const std::string& one) { return one.starts_with(start); });
    if (word != command.end()) {
      if (value) *word = start + *value;
      if (!value) command.erase(word);
    } else if (value) {
      situation_.inputs.environment[name] = *value;
    } else {
      situation_.inputs.environment.erase(name);
    }
    return true;
  }

  bool add(const std::optional<std::string>& value) {
    const auto home = home_of(launch_);
    if (!home) return false;
    const bool is_variable = field::is_inside(path_, field::kVariables);
    const std::string name = field::name_inside(path_, field::kVariables);
    if (home->file.empty()) {
      if (is_variable) return set_own_variable(name, value);
      return add_flag(situation_.inputs.command, usual_flag(path_), *value);
    }
    return rewrite(home->file, [&](const std::string& text) -> std::optional<std::string> {
      if (is_variable) return with_line_before(text, home->line, variable_command(name, value));
      return with_new_flag(text, home->line, usual_flag(path_), *value);
    });
  }

  template <typename Rewrite>
  bool rewrite(const std::string& file, const Rewrite& how) {
    const auto text = situation_.text_of(file);
    if (!text.ok()) return false;
    const std::optional<std::string> made = how(text.value());
    if (made) situation_.edited[file] = *made;
    return made.has_value();
  }

  Situation& situation_;
  const config::Settings& launch_;
  const std::string& path_;
  std::optional<config::Origin> origin_;
};

// A launch that is a JSON file of TF_CONFIG is written anew.
bool set_tf_file(Situation& situation, const config::Settings& launch, const std::string& value) {
  const config::Origin* const origin = launch.origin_of(field::kTensorflowCluster);
  if (origin == nullptr || origin->file.empty() || origin->line) return false;
  situation.edited[origin->file] = value + "\n";
  return true;
}

}  // namespace

std::string variable_command(const std::string& name, const std::optional<std::string>& value) {
  return value ? fmt::format("export {}={}", name, shell_word(*value)) : fmt::format("unset {}", name);
}

bool set_launch_value(Situation& situation, std::size_t launch, const std::string& path,
                      const std::optional<std::string>& value) {
  const config::Configuration configuration = read(situation);
  if (launch >= configuration.launches.size()) return false;
  const config::Settings& settings = configuration.launches[launch];
  if (path == field::variable("TF_CONFIG").path && value && !settings.has(path) &&
      set_tf_file(situation, settings, *value))
    return true;
  if (path == field::kHostList.path && value) return set_host_file(situation, settings, *value);
  if (field::is_inside(path, field::kKubernetes) && value)
    return set_manifest_value(situation, settings, path, *value);
  return LaunchValue(situation, settings, path).set(value);
}

}  // namespace lockstep::repair
