#include "model/finding_code.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"

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

bool is_fatal(Leaf leaf) {
  using enum Leaf;
  switch (leaf) {
    case kPkgBuild:
    case kPkgImport:
    case kSetupFail:
    case kRunComm:
    case kRunMem:
    case kRunDevice:
    case kRunGraph:
    case kRunTensor:
    case kRunCkpt:
    case kRunSegv:
    case kRunAttr:
    case kRunPath:
    case kRunNotimpl:
    case kRunOther:
      return true;
    default:
      return false;
  }
}

namespace {

constexpr LeafEntry kLeaves[] = {
    {Leaf::kPkgBuild, "PKG-BUILD", "A.1", "Installation & build failure"},
    {Leaf::kPkgImport, "PKG-IMPORT", "A.2", "Import error"},
    {Leaf::kSetupFail, "SETUP-FAIL", "B.1", "Setup failure"},
    {Leaf::kSetupHang, "SETUP-HANG", "B.2", "Hang & timeout during setup"},
    {Leaf::kSetupProto, "SETUP-PROTO", "B.3", "Unexpected protocol"},
    {Leaf::kPrepModel, "PREP-MODEL", "C.1", "Model loading failure"},
    {Leaf::kPrepData, "PREP-DATA", "C.2", "Data loading failure"},
    {Leaf::kPrepComm, "PREP-COMM", "C.3", "Communication error during preparation"},
    {Leaf::kPrepHang, "PREP-HANG", "C.4", "Hang & timeout during preparation"},
    {Leaf::kPrepDevice, "PREP-DEVICE", "C.5", "Device error during preparation"},
    {Leaf::kPrepIter, "PREP-ITER", "C.6", "Iteration failure"},
    {Leaf::kPrepShard, "PREP-SHARD", "C.7", "Partition error"},
    {Leaf::kPrepOther, "PREP-OTHER", "C.8", "Other preparation fault"},
    {Leaf::kRunComm, "RUN-COMM", "D.1.1", "Communication error"},
    {Leaf::kRunMem, "RUN-MEM", "D.1.2", "Memory issue"},
    {Leaf::kRunDevice, "RUN-DEVICE", "D.1.3", "Device error"},
    {Leaf::kRunGraph, "RUN-GRAPH", "D.1.4", "Graph execution error"},
    {Leaf::kRunTensor, "RUN-TENSOR", "D.1.5", "Tensor mismatch"},
    {Leaf::kRunCkpt, "RUN-CKPT", "D.1.6", "Checkpoint nonfunctioning"},
    {Leaf::kRunSegv, "RUN-SEGV", "D.1.7", "Segmentation fault"},
    {Leaf::kRunAttr, "RUN-ATTR", "D.1.8", "Attribute not found"},
    {Leaf::kRunPath, "RUN-PATH", "D.1.9", "Path error"},
    {Leaf::kRunNotimpl, "RUN-NOTIMPL", "D.1.10", "Not implemented error"},
    {Leaf::kRunOther, "RUN-OTHER", "D.1.11", "Other program failure"},
    {Leaf::kPerfHang, "PERF-HANG", "D.2.1", "Hang"},
    {Leaf::kPerfParallel, "PERF-PARALLEL", "D.2.2", "Unexpected parallelization & device"},
    {Leaf::kPerfSlow, "PERF-SLOW", "D.2.3", "Low efficiency"},
    {Leaf::kPerfResult, "PERF-RESULT", "D.2.4", "Unexpected intermediate results"},
    {Leaf::kPerfConverge, "PERF-CONVERGE", "D.2.5", "Non-convergence"},
    {Leaf::kPerfOther, "PERF-OTHER", "D.2.6", "Other performance fault"},
};

}  // namespace

std::span<const LeafEntry> all_leaves() {
  return kLeaves;
}

const LeafEntry& entry_of(Leaf leaf) {
  const auto index = static_cast<std::size_t>(leaf);
  CHECK(index < std::size(kLeaves), "a leaf is one of the 30");
  CHECK(kLeaves[index].leaf == leaf, "the table is in the order of the enumeration");
  return kLeaves[index];
}

std::optional<Leaf> leaf_with_id(std::string_view id) {
  const auto* entry = std::ranges::find(kLeaves, id, &LeafEntry::id);
  if (entry == std::end(kLeaves)) return std::nullopt;
  return entry->leaf;
}

}  // namespace lockstep::model
