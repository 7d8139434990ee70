// The 30 symptom leaves of the study (Liu, Gu et al., TOSEM 32(6) art. 156, 2023): the coarse classes of
// every finding. The finer code below a leaf is a string of the catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::model {

enum class Leaf : std::uint8_t {
  kPkgBuild,
  kPkgImport,
  kSetupFail,
  kSetupHang,
  kSetupProto,
  kPrepModel,
  kPrepData,
  kPrepComm,
  kPrepHang,
  kPrepDevice,
  kPrepIter,
  kPrepShard,
  kPrepOther,
  kRunComm,
  kRunMem,
  kRunDevice,
  kRunGraph,
  kRunTensor,
  kRunCkpt,
  kRunSegv,
  kRunAttr,
  kRunPath,
  kRunNotimpl,
  kRunOther,
  kPerfHang,
  kPerfParallel,
  kPerfSlow,
  kPerfResult,
  kPerfConverge,
  kPerfOther,
};

struct LeafEntry {
  Leaf leaf;
  std::string_view id;          // "PERF-HANG", stable
  std::string_view study_code;  // "D.2.1"
  std::string_view name;        // "Hang"
};

std::span<const LeafEntry> all_leaves();  // in the study's order
const LeafEntry& entry_of(Leaf leaf);
std::optional<Leaf> leaf_with_id(std::string_view id);

// Whether it ends the process that meets it: failures of programs, packages and set-up. Whoever ended well
// caught them. A job can suffer from the others without ending: slowness, a slow transport, results, how it
// uses its ranks.
bool is_fatal(Leaf leaf);

}  // namespace lockstep::model
