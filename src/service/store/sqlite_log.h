// SQLite's write-ahead log, read without SQLite: for SQLite a damaged part of it is its end, and what was
// committed behind it is gone without a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lockstep::service {

// Which log it is, and how much of it belongs to commits.
struct LogExtent {
  std::uint64_t salt = 0;    // another one each time the log begins anew
  std::uint32_t frames = 0;  // up to the last commit before the first frame that is damaged
};

// None: there is no log, or its head is damaged.
std::optional<LogExtent> extent_of_log(const std::filesystem::path& path);
// The salt alone.
std::optional<std::uint64_t> salt_of_log(const std::filesystem::path& path);

}  // namespace lockstep::service
