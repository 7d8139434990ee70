// The flags of a launcher become values: "nnodes" of "torchrun", "btl_tcp_if_include" of MCA.
#pragma once

#include <span>
#include <string>

#include "config/launchers/find.h"
#include "config/reading.h"

namespace lockstep::config {

// How a launcher's flags are named among the values.
struct FlagNames {
  std::string_view section;  // "torchrun"
  const LauncherTable* table;
  std::span<const std::string_view> same_meaning;  // "np n c": typed as any of them, called by the first
};

extern const FlagNames kSbatch;

// What the launcher starts; empty when its flags cannot be told from its program.
Words read_launcher(LauncherKind kind, std::span<const std::string> words, const Reading& reading);
Words read_launcher_words(const FlagNames& names, std::span<const std::string> words, const Reading& reading);

}  // namespace lockstep::config
