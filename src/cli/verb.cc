#include "cli/verb.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kColorChoices[] = {"auto", "always", "never"};

constexpr Flag kJson{.name = "json", .help = "Write JSON for programs instead of text for people"};
constexpr Flag kColor{.name = "color",
                      .value_name = "WHEN",
                      .help = "Colour the text",
                      .choices = kColorChoices,
                      .default_value = "auto"};
constexpr Flag kVerbose{.name = "verbose", .short_name = 'v', .help = "Say more on standard error"};
constexpr Flag kHelp{.name = "help", .short_name = 'h', .help = "Show this help"};

Flag flag_of(const Verb& verb, std::string_view name) {
  const std::vector<Flag> flags = flags_of(verb);
  const auto place = std::ranges::find(flags, name, &Flag::name);
  CHECK(place != flags.end(), "a verb asks only for flags of its table");
  return *place;
}

}  // namespace

const Verb* find_verb(VerbTable verbs, std::string_view name) {
  const auto place = std::ranges::find(verbs, name, &Verb::name);
  return place == verbs.end() ? nullptr : *place;
}

std::vector<Flag> flags_of(const Verb& verb) {
  std::vector<Flag> flags(verb.flags.begin(), verb.flags.end());
  if (verb.globals.json) flags.push_back(kJson);
  if (verb.globals.color) flags.push_back(kColor);
  if (verb.globals.verbose) flags.push_back(kVerbose);
  flags.push_back(kHelp);
  return flags;
}

std::string meaning_of(const Flag& flag) {
  std::string meaning(flag.help);
  if (!flag.choices.empty()) meaning += fmt::format(": {}", choices_in_words(flag.choices));
  if (flag.repeatable) meaning += "; may be repeated";
  if (!flag.default_value.empty()) meaning += fmt::format(" (default: {})", flag.default_value);
  return meaning;
}

std::string choices_in_words(std::span<const std::string_view> choices) {
  if (choices.size() < 2) return choices.empty() ? "" : std::string(choices.front());
  const auto all_but_last = choices.first(choices.size() - 1);
  return fmt::format("{} or {}", fmt::join(all_but_last, ", "), choices.back());
}

const std::vector<std::string>* Args::typed(std::string_view flag) const {
  const auto place = typed_.find(flag_of(*verb_, flag).name);
  return place == typed_.end() ? nullptr : &place->second;
}

bool Args::has(std::string_view flag) const {
  return typed(flag) != nullptr;
}

std::optional<std::string> Args::value(std::string_view flag) const {
  if (const auto* values = typed(flag)) return values->back();
  const Flag entry = flag_of(*verb_, flag);
  if (entry.default_value.empty()) return std::nullopt;
  return std::string(entry.default_value);
}

std::vector<std::string> Args::values(std::string_view flag) const {
  const auto* values = typed(flag);
  return values == nullptr ? std::vector<std::string>{} : *values;
}

void Args::add(std::string_view flag, std::string value) {
  typed_[std::string(flag_of(*verb_, flag).name)].push_back(std::move(value));
}

namespace {

constexpr const Verb* kVerbs[] = {
    &kDemoVerb,    &kRunVerb,       &kDiagnoseVerb,   &kCheckVerb,   &kReportVerb, &kTopVerb,
    &kAttachVerb,  &kIsolateVerb,   &kReplayVerb,     &kDiffVerb,    &kDumpVerb,   &kFactsVerb,
    &kSubmitVerb,  &kJobsVerb,      &kLogsVerb,       &kCancelVerb,  &kServeVerb,  &kPageVerb,
    &kExplainVerb, &kCatalogueVerb, &kProbeAgentVerb, &kVersionVerb, &kHelpVerb,
};

}  // namespace

VerbTable all_verbs() {
  return kVerbs;
}

}  // namespace lockstep::cli
