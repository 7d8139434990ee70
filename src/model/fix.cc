#include "model/fix.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::model {
namespace {

constexpr FixPatternEntry kPatterns[] = {
    {FixPattern::kDependencyVersion, "dependency_version"},
    {FixPattern::kFrameworkVersion, "framework_version"},
    {FixPattern::kMissingDependency, "missing_dependency"},
    {FixPattern::kDependencyPath, "dependency_path"},
    {FixPattern::kBuildConfiguration, "build_configuration"},
    {FixPattern::kHardware, "hardware"},
    {FixPattern::kCommunicationConfiguration, "communication_configuration"},
    {FixPattern::kNetworkSetting, "network_setting"},
    {FixPattern::kDeviceConsistency, "device_consistency"},
    {FixPattern::kDeviceAssignment, "device_assignment"},
    {FixPattern::kDistributedApiUsage, "distributed_api_usage"},
    {FixPattern::kBatchOrPartition, "batch_or_partition"},
    {FixPattern::kBehaviorLogic, "behavior_logic"},
    {FixPattern::kSaveSingleDeviceModel, "save_single_device_model"},
    {FixPattern::kModelConstruction, "model_construction"},
    {FixPattern::kMemoryOrCoreSetting, "memory_or_core_setting"},
    {FixPattern::kLearningRate, "learning_rate"},
    {FixPattern::kKillStrayProcesses, "kill_stray_processes"},
    {FixPattern::kDataType, "data_type"},
    {FixPattern::kScopeAssignment, "scope_assignment"},
    {FixPattern::kOther, "other"},
};

}  // namespace

std::span<const FixPatternEntry> all_fix_patterns() {
  return kPatterns;
}

std::string_view id_of(FixPattern pattern) {
  const auto index = static_cast<std::size_t>(pattern);
  CHECK(index < std::size(kPatterns), "a fix pattern is one of the 21");
  CHECK(kPatterns[index].pattern == pattern, "the table is in the order of the enumeration");
  return kPatterns[index].id;
}

std::optional<FixPattern> fix_pattern_with_id(std::string_view id) {
  const auto* entry = std::ranges::find(kPatterns, id, &FixPatternEntry::id);
  if (entry == std::end(kPatterns)) return std::nullopt;
  return entry->pattern;
}

bool applies_to(const Fix& fix, std::string_view framework) {
  if (fix.only_for.empty() || framework.empty()) return true;
  if (std::ranges::find(fix.only_for, framework) != fix.only_for.end()) return true;
  const bool has_another_beside = framework == "horovod" || framework == "mpi";
  const bool is_of_horovod = fix.only_for == std::vector<std::string>{"horovod"};
  return has_another_beside && !is_of_horovod;
}

}  // namespace lockstep::model
