// What to do about a finding: one of the study's fix patterns, made concrete.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::model {

enum class FixPattern : std::uint8_t {
  kDependencyVersion,
  kFrameworkVersion,
  kMissingDependency,
  kDependencyPath,
  kBuildConfiguration,
  kHardware,
  kCommunicationConfiguration,
  kNetworkSetting,
  kDeviceConsistency,
  kDeviceAssignment,
  kDistributedApiUsage,
  kBatchOrPartition,
  kBehaviorLogic,
  kSaveSingleDeviceModel,
  kModelConstruction,
  kMemoryOrCoreSetting,
  kLearningRate,
  kKillStrayProcesses,
  kDataType,
  kScopeAssignment,
  kOther,
};

struct FixPatternEntry {
  FixPattern pattern;
  std::string_view id;  // "behavior_logic", stable
};

std::span<const FixPatternEntry> all_fix_patterns();
std::string_view id_of(FixPattern pattern);
std::optional<FixPattern> fix_pattern_with_id(std::string_view id);

struct Fix {
  FixPattern pattern = FixPattern::kOther;
  std::string title;
  std::vector<std::string> steps;
  std::vector<std::string> commands;
  std::vector<std::string> only_for = {};  // frameworks that have what it changes; empty: all

  bool operator==(const Fix&) const = default;
};

// Whether a job of that framework can do it. One that is not known might; Horovod and Keras train with
// another one beside them.
bool applies_to(const Fix& fix, std::string_view framework);

}  // namespace lockstep::model
