#include "report/names.h"

namespace lockstep::report {
namespace {

constexpr model::Scope kScopes[] = {model::Scope::kDistributed, model::Scope::kOrdinary,
                                    model::Scope::kUnknown};
constexpr model::EvidenceLevel kLevels[] = {model::EvidenceLevel::kSeen, model::EvidenceLevel::kInferred,
                                            model::EvidenceLevel::kAbsence};

template <typename T, std::size_t count>
std::optional<T> with_id(const T (&values)[count], std::string_view id) {
  for (const T value : values) {
    if (id_of(value) == id) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view id_of(model::Scope scope) {
  switch (scope) {
    case model::Scope::kDistributed:
      return "distributed";
    case model::Scope::kOrdinary:
      return "ordinary";
    case model::Scope::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view id_of(model::EvidenceLevel level) {
  switch (level) {
    case model::EvidenceLevel::kInferred:
      return "inferred";
    case model::EvidenceLevel::kAbsence:
      return "absence";
    case model::EvidenceLevel::kSeen:
      break;
  }
  return "seen";
}

std::optional<model::Scope> scope_with_id(std::string_view id) {
  return with_id(kScopes, id);
}

std::optional<model::EvidenceLevel> evidence_level_with_id(std::string_view id) {
  return with_id(kLevels, id);
}

}  // namespace lockstep::report
