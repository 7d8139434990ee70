#include "service/retry/set_up_repair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::service {
namespace {

base::Json encoded(const std::optional<std::string>& value) {
  return value ? base::Json(*value) : base::Json();
}

std::optional<std::string> decoded_value(const base::Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::string>());
}

std::string shown(const std::optional<std::string>& value) {
  return value && !value->empty() ? *value : "nothing";
}

}  // namespace

std::string in_words(const SetUpRepair& repair) {
  std::vector<std::string> words;
  for (const SetUpRepair::Change& change : repair.changes) {
    words.push_back(fmt::format("{} from {} to {}{}", change.variable, shown(change.before),
                                shown(change.after), change.node.empty() ? "" : " on " + change.node));
  }
  if (!repair.command.empty())
    words.push_back(fmt::format("the command to '{}'", fmt::join(repair.command, " ")));
  return fmt::format("changed {} because of {}", fmt::join(words, ", "), fmt::join(repair.because, "; "));
}

base::Json encode_set_up_repair(const SetUpRepair& repair) {
  base::Json changes = base::Json::array();
  for (const SetUpRepair::Change& change : repair.changes) {
    changes.push_back({{"variable", change.variable},
                       {"before", encoded(change.before)},
                       {"after", encoded(change.after)},
                       {"node", change.node}});
  }
  return {{"changes", changes},
          {"command", repair.command},
          {"codes", repair.codes},
          {"because", repair.because},
          {"outside", repair.outside}};
}

SetUpRepair decode_set_up_repair(const base::Json& json) {
  using Words = std::vector<std::string>;
  SetUpRepair repair{.command = json.at("command").get<Words>(),
                     .codes = json.at("codes").get<Words>(),
                     .because = json.at("because").get<Words>(),
                     .outside = json.at("outside").get<Words>()};
  for (const base::Json& change : json.at("changes")) {
    repair.changes.push_back({change.at("variable").get<std::string>(), decoded_value(change.at("before")),
                              decoded_value(change.at("after")), change.at("node").get<std::string>()});
  }
  return repair;
}

}  // namespace lockstep::service
