#include "readers/log_file.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::readers {
namespace {

// What lies beside logs in a job's folder and is text as well.
bool is_named_like_something_else(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 20> kOther = {
      ".py",  ".pyc", ".ipynb", ".sh",   ".yaml", ".yml",  ".toml", ".ini", ".cfg", ".md",
      ".rst", ".csv", ".tsv",   ".json", ".xml",  ".html", ".c",    ".cc",  ".cpp", ".h"};
  return std::ranges::find(kOther, path.extension().string()) != kOther.end();
}

constexpr std::size_t kLookedAt = 4096;

bool is_text(std::string_view start) {
  return start.find('\0') == std::string_view::npos;
}

bool is_a_document(std::string_view start) {
  constexpr std::array<std::string_view, 4> kHeads = {"<?xml", "<!DOCTYPE", "<!doctype", "<html"};
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return start.starts_with(head); });
}

}  // namespace

bool looks_like_text(const Source& source) {
  return is_text(source.bytes.substr(0, kLookedAt));
}

bool looks_like_a_log(const Source& source) {
  const std::string_view start = source.bytes.substr(0, kLookedAt);
  return is_text(start) && !is_a_document(start) && !is_named_like_something_else(source.path);
}

}  // namespace lockstep::readers
