#include "readers/stacks/dump_text.h"

#include <fmt/format.h>

#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

// "node-b" of "http://node-b:25999" and "http://[::1]:25999"
std::string host_of_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url = url.substr(scheme + 3);
  url = url.substr(0, url.find('/'));
  if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
  return std::string(url.substr(0, url.rfind(':')));
}

}  // namespace

std::optional<DumpSection> parse_section_head(std::string_view line) {
  constexpr std::string_view kHead = "=== Rank ";
  constexpr std::string_view kTail = " ===";
  if (!line.starts_with(kHead) || !line.ends_with(kTail)) return std::nullopt;
  std::string_view rest = line.substr(kHead.size(), line.size() - kHead.size() - kTail.size());
  const std::optional<int> rank = take_number<int>(rest);
  if (!rank || *rank < 0 || !rest.starts_with(": ")) return std::nullopt;
  return DumpSection{.number = 0, .rank = rank, .host = host_of_url(rest.substr(2))};
}

bool is_section_error(std::string_view line) {
  return line.starts_with("Error: ");
}

void add_section_limit(const Source& source, const DumpSection& section, std::string_view error,
                       std::vector<std::string>& limits) {
  constexpr std::size_t kLongest = 200;
  limits.push_back(
      fmt::format("{}: rank {} gave no stacks ({})", source.name, *section.rank, error.substr(0, kLongest)));
}

}  // namespace lockstep::readers
