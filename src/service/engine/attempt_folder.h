// The folder of one attempt, and who may work in it: one process, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/process/descriptor.h"
#include "base/result.h"

namespace lockstep::service {

struct AttemptFolder {
  std::filesystem::path path;

  std::filesystem::path plan() const { return path / "plan.json"; }
  std::filesystem::path lock() const { return path / "lock"; }
  std::filesystem::path check() const { return path / "check.json"; }
  std::filesystem::path started() const { return path / "started"; }
  std::filesystem::path output() const { return path / "output"; }
  std::filesystem::path ranks() const { return path / "ranks"; }
  std::filesystem::path rank_end(int rank) const {
    return ranks() / ("rank_" + std::to_string(rank) + ".json");
  }
  std::filesystem::path sign_of_life(int rank) const {
    return ranks() / ("rank_" + std::to_string(rank) + ".alive");
  }
  std::filesystem::path recording() const { return path / "recording"; }
  // Of an attempt over several nodes: what each of them keeps by itself.
  std::filesystem::path nodes() const { return path / "nodes"; }
  std::filesystem::path node_place(int node) const { return nodes() / (std::to_string(node) + ".place"); }
  std::filesystem::path node_output(int node) const { return nodes() / (std::to_string(node) + ".output"); }
  std::filesystem::path node_end(int node) const { return nodes() / (std::to_string(node) + ".end"); }
  // Why no rank of the node could be started.
  std::filesystem::path node_fault(int node) const { return nodes() / (std::to_string(node) + ".fault"); }
  std::filesystem::path node_facts(int node) const { return nodes() / (std::to_string(node) + ".facts"); }
  std::filesystem::path failed_node() const { return nodes() / "failed"; }
  std::filesystem::path node_recording(int node) const {
    return node == 0 ? recording() : nodes() / (std::to_string(node) + ".recording");
  }
  std::filesystem::path token() const { return path / "token"; }
  std::filesystem::path news() const { return path / "news"; }
  std::filesystem::path repair() const { return path / "repair.json"; }
  std::filesystem::path report() const { return path / "report.html"; }
  std::filesystem::path end() const { return path / "end.json"; }
};

// What a folder tells decides whether an attempt runs again. So "cannot be read now" (no descriptor left, no
// memory, a stale or failing disk) is an error everywhere here, and never the same as "is not there".
Result<bool> is_there(const std::filesystem::path& path);

// None: it is not there.
Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path, std::size_t limit_bytes);

// None: it is not there, or is not what `decode` expects. `decode` may throw what the JSON library throws.
template <typename T>
Result<std::optional<T>> read_record(const std::filesystem::path& path, std::size_t limit_bytes,
                                     T (*decode)(const base::Json&)) {
  const std::optional<std::string> text = TRY(read_if_there(path, limit_bytes));
  if (!text) return std::optional<T>();
  const auto json = base::parse_json(*text, path.filename().string());
  if (!json.ok()) return std::optional<T>();
  try {
    return std::optional<T>(decode(json.value()));
  } catch (const nlohmann::json::exception&) {
    return std::optional<T>();
  }
}

// Held from the first moment of an attempt until its last process is gone: the kernel lets go of it, whatever
// ends them. None: somebody else holds it.
Result<std::optional<process::Descriptor>> take_attempt(const AttemptFolder& folder);
Result<bool> is_taken(const AttemptFolder& folder);

// False when the attempt was begun before: nothing is started twice.
Result<bool> mark_started(const AttemptFolder& folder);

// The process that the mark names; none when there is no mark.
Result<std::optional<std::int64_t>> process_that_started(const AttemptFolder& folder);

// That an attempt is to end, written down: whoever begins it later, or takes it over, finds it.

Result<void> note_end_asked(const AttemptFolder& folder);
bool is_end_asked(const AttemptFolder& folder);

// What an attempt tells while it runs, for its job's events: lines in a file of its folder, written by the
// supervisor and read by whichever service is there.

struct News {
  std::string kind;
  std::string detail;

  bool operator==(const News&) const = default;
};

void report_news(const AttemptFolder& folder, std::string_view kind, std::string_view detail);

// Those behind the first `count`.
std::vector<News> news_after(const AttemptFolder& folder, std::size_t count);

}  // namespace lockstep::service
