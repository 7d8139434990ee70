#include "readers/pytorch/debug_server.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "readers/pytorch/flight_recorder_json.h"
#include "readers/pytorch/flight_recorder_rank.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kSniffedBytes = 8192;
constexpr std::string_view kHeading = "=== Rank ";
constexpr std::string_view kPartial = "PARTIAL DATA: ";

struct Section {
  int rank = 0;
  std::string_view body;
};

std::string_view line_at(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// Where the next line with a heading begins; the end of the text when there is none.
std::size_t next_heading(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kHeading, from); at != std::string_view::npos;
       at = text.find(kHeading, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return text.size();
}

// Takes the first section off the text.
std::optional<Section> take_section(std::string_view& text) {
  for (;;) {
    text.remove_prefix(next_heading(text, 0));
    if (text.empty()) return std::nullopt;
    const std::string_view line = line_at(text);
    const std::size_t size = next_heading(text, line.size());
    Section section{.rank = -1, .body = text.substr(line.size(), size - line.size())};
    text.remove_prefix(size);
    const std::string_view number = line.substr(kHeading.size());
    std::from_chars(number.data(), number.data() + number.size(), section.rank);
    if (section.rank < 0) continue;
    section.body.remove_prefix(std::min(section.body.find_first_not_of(" \r\n"), section.body.size()));
    return section;
  }
}

}  // namespace

bool is_debug_server_snapshot(const Source& source) {
  std::string_view start = source.bytes.substr(0, kSniffedBytes);
  while (const auto section = take_section(start)) {
    if (begins_as_flight_recorder_json(section->body)) return true;
  }
  return false;
}

model::Job read_debug_server_snapshot(const Source& source) {
  model::Job job;
  std::string_view text = source.bytes;
  const std::size_t partial = text.substr(0, kSniffedBytes).find(kPartial);
  if (partial != std::string_view::npos) {
    job.limits.push_back(fmt::format("{}: {}", source.name, line_at(text.substr(partial + kPartial.size()))));
  }
  while (const auto section = take_section(text)) {
    FlightRecorderRank rank(job, source, 0);
    if (begins_as_flight_recorder_json(section->body)) {
      read_flight_recorder_object(section->body, rank);
    } else {
      rank.limit(
          fmt::format("rank {} gave no dump: {}", section->rank, line_at(section->body).substr(0, 200)));
    }
    rank.finish_as(section->rank);
  }
  return job;
}

}  // namespace lockstep::readers
