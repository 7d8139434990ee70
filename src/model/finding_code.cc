#include "model/finding_code.h"

#include <algorithm>
#include <cctype>

namespace lockstep::model {
namespace {

constexpr FamilyEntry kFamilies[] = {
    {.family = CodeFamily::kCheck, .name = "check"},
    {.family = CodeFamily::kDeadlock, .name = "deadlock", .is_wait = true},
    {.family = CodeFamily::kDesync, .name = "desync", .is_wait = true},
    {.family = CodeFamily::kDivergence, .name = "divergence"},
    {.family = CodeFamily::kGuess, .name = "guess"},
    {.family = CodeFamily::kLeaf, .name = "leaf"},
    {.family = CodeFamily::kMismatch, .name = "mismatch"},
    {.family = CodeFamily::kPointToPoint, .name = "point_to_point", .is_wait = true},
    {.family = CodeFamily::kProcess, .name = "process"},
    {.family = CodeFamily::kSetup, .name = "setup"},
    {.family = CodeFamily::kStraggler, .name = "straggler"},
    {.family = CodeFamily::kWrapper, .name = "wrapper", .is_echo = true},
};

#define LOCKSTEP_CODE(name, text, leaf) codes::name,
constexpr KnownCode kCodes[] = {LOCKSTEP_FINDING_CODES(LOCKSTEP_CODE)};
#undef LOCKSTEP_CODE

const FamilyEntry* entry_of_family(std::string_view code) {
  const std::string_view name = code.substr(0, code.find('.'));
  const auto* entry = std::ranges::find(kFamilies, name, &FamilyEntry::name);
  return entry == std::end(kFamilies) ? nullptr : entry;
}

}  // namespace

std::span<const FamilyEntry> all_families() {
  return kFamilies;
}

std::span<const KnownCode> all_codes() {
  return kCodes;
}

CodeFamily family_of(std::string_view code) {
  const FamilyEntry* entry = entry_of_family(code);
  return entry == nullptr ? CodeFamily::kOther : entry->family;
}

std::string_view FindingCode::family_name() const {
  return std::string_view(text_).substr(0, text_.find('.'));
}

bool FindingCode::is_wait() const {
  const FamilyEntry* entry = entry_of_family(text_);
  return entry != nullptr && entry->is_wait;
}

bool FindingCode::is_echo() const {
  const FamilyEntry* entry = entry_of_family(text_);
  return entry != nullptr && entry->is_echo;
}

FindingCode guess_at(Leaf leaf) {
  std::string code = "leaf.";
  for (const char c : entry_of(leaf).id)
    code += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return code;
}

}  // namespace lockstep::model
