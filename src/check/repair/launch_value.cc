#include "check/repair/launch_value.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "check/repair/situation.h"

namespace lockstep::repair {
namespace {

using config::Fields;
using Pod = Fields::Pod;
using Policy = Fields::Policy;
using Service = Fields::Service;

// Values in the text of a manifest, changed where they stand. Lines count from 1; all give nothing where the
// text is not as it is expected.

struct NumberedLine {
  std::size_t begin = 0;
  std::size_t end = 0;  // before the line's end
};

std::optional<NumberedLine> line_at(const std::string& text, std::int64_t number) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  if (begin >= text.size()) return std::nullopt;
  return NumberedLine{begin, std::min(text.find('\n', begin), text.size())};
}

std::size_t skip_spaces(const std::string& text, std::size_t at, std::size_t end) {
  while (at < end && text[at] == ' ') ++at;
  return at;
}

// Behind the colon of the key, blanks skipped; nothing where the line has no such key.
std::optional<std::size_t> value_of_key(const std::string& text, const NumberedLine& line,
                                        std::string_view key) {
  const std::string wanted = fmt::format("{}:", key);
  for (std::size_t at = text.find(wanted, line.begin); at < line.end; at = text.find(wanted, at + 1)) {
    const char before = at == line.begin ? ' ' : text[at - 1];
    if (before == ' ' || before == '{' || before == ',' || before == '"' || before == '\'')
      return skip_spaces(text, at + wanted.size(), line.end);
  }
  return std::nullopt;
}

// The indentation of the first line behind this one that has something.
std::size_t indent_below(const std::string& text, const NumberedLine& line) {
  for (std::size_t begin = line.end + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = skip_spaces(text, begin, end);
    if (first < end && text[first] != '#') return first - begin;
    begin = end + 1;
  }
  return 0;
}

// Between the braces or brackets that stand behind the key, or on a line of its own below it.
std::optional<std::string> inserted(const std::string& text, std::int64_t number, std::string_view key,
                                    char opening, std::string_view part, std::string_view before_part) {
  const auto line = line_at(text, number);
  const auto value = line ? value_of_key(text, *line, key) : std::nullopt;
  if (!value) return std::nullopt;
  std::string made = text;
  if (*value < line->end && text[*value] == opening) {
    const std::size_t next = skip_spaces(text, *value + 1, line->end);
    const bool is_empty = next < line->end && (text[next] == '}' || text[next] == ']');
    return made.insert(*value + 1, fmt::format("{}{}", part, is_empty ? "" : ", "));
  }
  if (*value < line->end && text[*value] != '#') return std::nullopt;
  return made.insert(line->end,
                     fmt::format("\n{}{}{}", std::string(indent_below(text, *line), ' '), before_part, part));
}

// `key: value` on that line, in a block or between braces.
std::optional<std::string> with_scalar(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view value) {
  const auto place = line_at(text, line);
  if (!place) return std::nullopt;
  const auto begin = value_of_key(text, *place, key);
  if (!begin) return std::nullopt;
  std::size_t end = *begin;
  while (end < place->end && std::string_view(",}# ").find(text[end]) == std::string_view::npos) ++end;
  std::string made = text;
  return made.replace(*begin, end - *begin, value);
}

// One more member ("clusterIP: None") of the map that is the value of `key`, which stands on that line.
std::optional<std::string> with_member(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view member) {
  return inserted(text, line, key, '{', member, "");
}

// One more item of the list that is.
std::optional<std::string> with_item(const std::string& text, std::int64_t line, std::string_view key,
                                     std::string_view item) {
  return inserted(text, line, key, '[', item, "- ");
}

using Made = std::optional<std::string>;

constexpr std::string_view kMesh = "sidecar.istio.io/inject";

class ManifestValue {
 public:
  ManifestValue(const config::LaunchConfig& launch, const config::FieldPath& field)
      : launch_(launch), field_(field), object_(field.group()) {}

  const config::Origin* home() const { return launch_.origin_of(first_of_spec()); }

  Made in(const std::string& text, const std::string& value) const {
    if (field_ == object_.at(Pod::kDnsPolicy)) return set(text, "dnsPolicy", "spec", value);
    if (field_ == object_.at(Pod::kSubdomain)) return set(text, "subdomain", "spec", value);
    if (field_ == object_.at(Service::kIsHeadless)) return set(text, "clusterIP", "spec", "None");
    if (field_ == object_.at(Pod::kMesh)) return without_mesh(text);
    return opened(text);
  }

 private:
  // A value whose origin is the line where the object's spec begins.
  config::FieldPath first_of_spec() const {
    if (object_.is_inside(Fields::kServices)) return object_.at(Service::kPublishesUnready);
    if (object_.is_inside(Fields::kPolicies)) return object_.at(Policy::kSelector);
    return object_.at(Pod::kReplicas);
  }

  std::int64_t line_of(const config::FieldPath& field) const {
    const config::Origin* const origin = launch_.origin_of(field);
    return origin == nullptr ? 1 : origin->line.value_or(1);
  }

  Made set(const std::string& text, std::string_view key, std::string_view in, std::string_view value) const {
    if (Made changed = with_scalar(text, line_of(field_), key, value)) return changed;
    return with_member(text, line_of(first_of_spec()), in, fmt::format("{}: {}", key, value));
  }

  // Wherever the file asks for it.
  static Made without_mesh(std::string text) {
    bool is_changed = false;
    for (const char* word : {"true", "\"true\"", "'true'"}) {
      const std::string wanted = fmt::format("{}: {}", kMesh, word);
      for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at)) {
        text.replace(at, wanted.size(), fmt::format("{}: \"false\"", kMesh));
        is_changed = true;
      }
    }
    return is_changed ? Made(std::move(text)) : std::nullopt;
  }

  // To those that the policy selects: the job's own pods.
  Made opened(const std::string& text) const {
    const bool is_ingress = field_ == object_.at(Policy::kIngress);
    const char* const key = is_ingress ? "ingress" : "egress";
    const std::string rule =
        fmt::format("{{{}: [{{podSelector: {}}}]}}", is_ingress ? "from" : "to", selector());
    if (Made changed = with_item(text, line_of(field_), key, rule)) return changed;
    return with_member(text, line_of(first_of_spec()), "spec", fmt::format("{}: [{}]", key, rule));
  }

  std::string selector() const {
    std::string labels;
    const auto selected = launch_.get(object_.at(Policy::kSelector));
    for (std::string label : selected ? selected->value : config::TextList()) {
      label.replace(label.find('='), 1, ": ");
      labels += (labels.empty() ? "" : ", ") + label;
    }
    return labels.empty() ? "{}" : fmt::format("{{matchLabels: {{{}}}}}", labels);
  }

  const config::LaunchConfig& launch_;
  const config::FieldPath& field_;
  config::NamedField<config::Group> object_;
};

// "dns_policy", "subdomain" and "mesh" (taken away) of an item of Fields::kPods, "headless" of
// Fields::kServices, "ingress" and "egress" of Fields::kPolicies (opened to the pods that the policy
// selects). False: it has no place that can be edited.
bool set_manifest_value(Situation& situation, const config::LaunchConfig& launch,
                        const config::FieldPath& field, const std::string& value) {
  const ManifestValue place(launch, field);
  const config::Origin* const home = place.home();
  if (home == nullptr || home->file.empty()) return false;
  const auto text = situation.text_of(home->file);
  if (!text.ok()) return false;
  const Made made = place.in(text.value(), value);
  if (made) situation.edited[home->file] = *made;
  return made.has_value();
}

// Those of the list and those that were not understood, by the lines where they stand.
std::set<std::int64_t> lines_with_hosts(const config::LaunchConfig& launch, const std::string& file) {
  std::set<std::int64_t> lines;
  const auto add = [&](const config::FieldPath& entry) {
    const config::Origin* const origin = launch.origin_of(entry);
    if (origin != nullptr && origin->file == file && origin->line) lines.insert(*origin->line);
  };
  for (std::size_t i = 0; i < launch.count(Fields::kHostList); ++i) add(Fields::item(Fields::kHostList, i));
  for (std::size_t i = 0; i < launch.count(Fields::kHostfileFaults); ++i)
    add(Fields::item(Fields::kHostfileFaults, i));
  return lines;
}

std::string line_of(std::string_view entry) {
  const std::string_view name = base::word_of(entry, ':');
  if (name.size() == entry.size()) return std::string(name);
  return fmt::format("{} slots={}", name, entry.substr(name.size() + 1));
}

// The line as it is where it says the same.
bool says(std::string_view line, std::string_view entry) {
  const std::string_view content = base::trimmed(line.substr(0, line.find('#')));
  return content == line_of(entry) || content == entry;
}

// As people type it: "--master-addr", "--mca btl_tcp_if_include".
std::string usual_flag(const config::FieldPath& field) {
  if (const std::string parameter = field.name_inside(Fields::kMpiParameters); !parameter.empty())
    return fmt::format("--mca {}", parameter);
  std::string name = field.name();
  if (name == "np") return "-np";
  if (!field.is_inside(Fields::kAccelerate) && !field.is_inside(Fields::kDeepspeed))
    std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// Where a launch stands: a script, or the command that was given.
struct Home {
  std::string file = {};  // empty: the command
  std::int64_t line = 1;  // of the launcher or the program
};

std::optional<Home> home_of(const config::LaunchConfig& launch) {
  for (const config::FieldPath& section : std::initializer_list<config::FieldPath>{
           Fields::kTorchrun, Fields::kMpi, Fields::kHorovod, Fields::kDeepspeed, Fields::kAccelerate,
           Fields::kProgram, Fields::kVariables}) {
    const config::Origin* const origin = launch.origin_of(section);
    if (!launch.has(section) || origin == nullptr) continue;
    if (origin->file.empty()) return Home{};
    if (origin->line) return Home{origin->file, *origin->line};
  }
  return std::nullopt;
}

class LaunchValue {
 public:
  LaunchValue(Situation& situation, const config::LaunchConfig& launch, const config::FieldPath& field)
      : situation_(situation), launch_(launch), field_(field) {
    const config::Origin* const found = launch.has(field) ? launch.origin_of(field) : nullptr;
    if (found != nullptr && !found->how.starts_with("default")) origin_ = *found;
  }

  bool set(const std::optional<std::string>& value) {
    if (value && launch_.has(field_) && launch_.as_written(field_) == *value) return true;
    if (!value && !launch_.has(field_)) return true;
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
    const bool is_variable = field_.is_inside(Fields::kVariables);
    const std::string name = field_.name_inside(Fields::kVariables);
    if (home->file.empty()) {
      if (is_variable) return set_own_variable(name, value);
      return add_flag(situation_.inputs.command, usual_flag(field_), *value);
    }
    return rewrite(home->file, [&](const std::string& text) -> std::optional<std::string> {
      if (is_variable) return with_line_before(text, home->line, variable_command(name, value));
      return with_new_flag(text, home->line, usual_flag(field_), *value);
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
  const config::LaunchConfig& launch_;
  const config::FieldPath& field_;
  std::optional<config::Origin> origin_;
};

// A launch that is a JSON file of TF_CONFIG is written anew.
bool set_tf_file(Situation& situation, const config::LaunchConfig& launch, const std::string& value) {
  const config::Origin* const origin = launch.origin_of(Fields::kTensorflowCluster);
  if (origin == nullptr || origin->file.empty() || origin->line) return false;
  situation.edited[origin->file] = value + "\n";
  return true;
}

}  // namespace

std::string as_flag(const std::vector<HostEntry>& entries) {
  std::string text;
  for (const HostEntry& entry : entries) {
    if (!text.empty()) text += ",";
    text += entry.slots ? fmt::format("{}:{}", entry.name, *entry.slots) : entry.name;
  }
  return text;
}

bool set_host_file(Situation& situation, const config::LaunchConfig& launch, std::string_view hosts) {
  const config::Origin* const origin = launch.origin_of(Fields::item(Fields::kHostList, 0));
  if (origin == nullptr || origin->file.empty() || origin->how != "host file") return false;
  const std::string file = origin->file;
  const auto text = situation.text_of(file);
  if (!text.ok()) return false;
  const auto places = lines_with_hosts(launch, file);
  std::string made;
  base::Lines lines(text.value());
  while (const auto line = lines.next()) {
    if (!places.contains(static_cast<std::int64_t>(lines.number()))) {
      made += fmt::format("{}\n", *line);
      continue;
    }
    if (hosts.empty()) continue;
    const std::string_view entry = base::word_of(hosts, ',');
    made += says(*line, entry) ? fmt::format("{}\n", *line) : line_of(entry) + "\n";
    hosts.remove_prefix(std::min(hosts.size(), entry.size() + 1));
  }
  situation.edited[file] = made;
  return true;
}

std::string variable_command(const std::string& name, const std::optional<std::string>& value) {
  return value ? fmt::format("export {}={}", name, shell_word(*value)) : fmt::format("unset {}", name);
}

bool set_launch_value(Situation& situation, std::size_t launch, const config::FieldPath& field,
                      const std::optional<std::string>& value) {
  const config::Configuration configuration = read(situation);
  if (launch >= configuration.launches.size()) return false;
  const config::LaunchConfig& settings = configuration.launches[launch];
  if (field == Fields::variable("TF_CONFIG") && value && !settings.has(field) &&
      set_tf_file(situation, settings, *value))
    return true;
  if (field == Fields::kHostList && value) return set_host_file(situation, settings, *value);
  if (field.is_inside(Fields::kKubernetes) && value)
    return set_manifest_value(situation, settings, field, *value);
  return LaunchValue(situation, settings, field).set(value);
}

}  // namespace lockstep::repair
