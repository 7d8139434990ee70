#include "run/supervise/adapter_notes.h"

#include <algorithm>

#include "base/file.h"
#include "base/lines.h"

namespace lockstep::supervise {
namespace {

constexpr std::size_t kMaxNotes = 4;
constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxNoteBytes = 200;

void add(std::string_view note, std::vector<std::string>& notes) {
  const std::string_view first_line = note.substr(0, std::min(note.find('\n'), kMaxNoteBytes));
  const bool is_known = std::ranges::find(notes, first_line) != notes.end();
  if (!first_line.empty() && !is_known && notes.size() < kMaxNotes) notes.emplace_back(first_line);
}

}  // namespace

void add_notes_of_processes(std::string_view lines, std::vector<std::string>& notes) {
  base::Lines each(lines);
  while (const auto line = each.next()) {
    const std::size_t colon = line->find(": ");
    if (line->starts_with("pid ") && colon != std::string_view::npos) add(line->substr(colon + 2), notes);
  }
}

std::vector<std::string> adapter_notes(const std::filesystem::path& recording,
                                       std::span<const watch::LiveRank* const> ranks) {
  std::vector<std::string> notes;
  for (const watch::LiveRank* rank : ranks) {
    for (const std::string& note : rank->adapter_notes()) add(note, notes);
  }
  const auto lines = base::read_file(recording / ".adapter_notes", kMaxBytes);
  if (lines.ok()) add_notes_of_processes(lines.value(), notes);
  return notes;
}

}  // namespace lockstep::supervise
