#include "config/configuration.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "base/yaml.h"
#include "config/files/shell_script.h"
#include "config/files/yaml_file.h"
#include "config/reading.h"

namespace lockstep::config {
namespace {

class ConfigurationReader {
 public:
  explicit ConfigurationReader(const Inputs& inputs) : inputs_(inputs) {}

  Configuration read() {
    for (const std::string& file : inputs_.files) read_file(file);
    if (!cluster_.empty()) result_.launches.push_back(cluster_);
    if (!inputs_.command.empty() || result_.launches.empty()) read_own_command();
    for (LaunchConfig& launch : result_.launches) {
      launch.add_missing(shared_);
      derive_job(reading(launch, {}));
    }
    return std::move(result_);
  }

 private:
  Reading reading(LaunchConfig& launch, Origin place) {
    return {launch, all_, std::move(place), 0, &result_.launches};
  }

  void read_own_command() {
    LaunchConfig launch;
    for (const auto& [name, value] : inputs_.environment)
      launch.set(Fields::variable(name), value, {"", std::nullopt, "variable " + name});
    Reading here = reading(launch, {});
    here.knows_caller = true;
    read_command(CommandLine(inputs_.command), here);
    result_.launches.push_back(std::move(launch));
  }

  void read_file(const std::string& file) {
    const auto text = inputs_.read_file(file);
    if (!text.ok()) {
      result_.faults.push_back({file, std::nullopt, text.error().why});
      return;
    }
    const std::string name = std::filesystem::path(file).filename().string();
    const std::string_view start = base::trimmed(text.value());
    const Origin place{file, std::nullopt, ""};
    if (name.ends_with(".yaml") || name.ends_with(".yml")) {
      read_yaml(file, text.value());
    } else if (start.starts_with('{')) {
      read_json(file, text.value());
    } else if (name == ".deepspeed_env") {
      read_variables_file(text.value(), Fields::kDeepspeedVariables, reading(shared_, place));
    } else if (name == "nccl.conf" || name == ".nccl.conf") {
      read_variables_file(text.value(), Fields::kNcclVariables, reading(shared_, place));
    } else if (name.ends_with(".env")) {
      read_variables_file(text.value(), Fields::kVariables, reading(shared_, place));
    } else if (start.starts_with("#!") || name.ends_with(".sh") || name.ends_with(".sbatch") ||
               name.ends_with(".slurm") || start.find("#SBATCH") != std::string_view::npos) {
      LaunchConfig launch;
      const std::size_t before = result_.launches.size();
      read_shell_script(text.value(), reading(launch, place));
      if (result_.launches.size() == before) result_.launches.push_back(std::move(launch));
    } else if (looks_like_hostfile(text.value())) {
      read_hostfile(text.value(), reading(shared_, place));
    } else if (looks_like_variables(text.value())) {
      read_variables_file(text.value(), Fields::kVariables, reading(shared_, place));
    } else {
      result_.faults.push_back({file, 1, "not a launch file that Lockstep knows"});
    }
  }

  void read_json(const std::string& file, const std::string& text) {
    const auto parsed = base::parse_json(text, file);
    if (!parsed.ok()) {
      const std::string& why = parsed.error().why;  // "line 3, column 7"
      const auto line = whole_number(base::word_of(base::rest_after(why, "line "), ','));
      result_.faults.push_back({parsed.error().where, line, fmt::format("is not valid JSON: {}", why)});
      return;
    }
    const Origin place{file, std::nullopt, "file"};
    if (parsed.value().contains("cluster") || parsed.value().contains("task")) {
      LaunchConfig launch;
      read_tf_config(text, reading(launch, place));
      result_.launches.push_back(std::move(launch));
    } else {
      shared_.set(Fields::kDeepspeedConfig, parsed.value(), place);
    }
  }

  void read_yaml(const std::string& file, const std::string& text) {
    const auto documents = base::parse_yaml_documents(text, file);
    if (!documents.ok()) {
      result_.faults.push_back({documents.error().where, std::nullopt, documents.error().why});
      return;
    }
    for (const base::YamlDocument& document : documents.value()) {
      const YamlNode node(document, file);
      LaunchConfig launch;
      switch (kind_of(document)) {
        case YamlKind::kKubernetes: {
          Reading here = reading(cluster_, {file, std::nullopt, ""});
          here.finished = nullptr;
          read_kubernetes(node, here);
          break;
        }
        case YamlKind::kCompose:
          read_compose(node, reading(launch, {file, std::nullopt, ""}));
          result_.launches.push_back(std::move(launch));
          break;
        case YamlKind::kAccelerate:
          launch.append(Fields::kLaunchers, "accelerate", node.origin());
          read_accelerate(node, reading(launch, {file, std::nullopt, ""}));
          result_.launches.push_back(std::move(launch));
          break;
        case YamlKind::kUnknown:
          if (!document.value.is_null())
            result_.faults.push_back({file, node.origin().line, "not a launch file that Lockstep knows"});
          break;
      }
    }
  }

  const Inputs& inputs_;
  Configuration result_;
  ReadingOfAll all_{result_.faults, inputs_.read_file};
  LaunchConfig cluster_;  // all manifests together
  LaunchConfig shared_;   // what files add to every launch
};

}  // namespace

Configuration read_configuration(const Inputs& inputs) {
  return ConfigurationReader(inputs).read();
}

bool have_own_launches(std::span<const LaunchConfig> launches, std::size_t hosts) {
  if (launches.size() != hosts) return false;
  std::set<std::string> files;
  for (const LaunchConfig& launch : launches) {
    const std::string file = launch.text(Fields::kStartFile);
    if (!file.empty() && !files.insert(file).second) return false;
  }
  return true;
}

Words words_of_line(std::string_view line) {
  return shell::words_of_line(line);
}

void know_hosts(Configuration& configuration, std::size_t hosts_with_facts) {
  if (hosts_with_facts < 2) return;
  const Origin origin{"", std::nullopt, fmt::format("facts of {} hosts", hosts_with_facts)};
  for (LaunchConfig& launch : configuration.launches) launch.set_default(Fields::kIsMultiHost, true, origin);
}

}  // namespace lockstep::config
