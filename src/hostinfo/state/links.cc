#include "hostinfo/state/links.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/lines.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = base::trimmed(line); !line.empty(); line = base::trimmed(line)) {
    words.push_back(base::word_of(line, " \t"));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

std::optional<std::uint64_t> number_in_file(const fs::path& path) {
  return base::number_in<std::uint64_t>(base::trimmed(process::text_of(path)));
}

// "4: ACTIVE"
std::string infiniband_state(std::string_view text) {
  return std::string(base::trimmed(base::rest_after(text, ":")));
}

Link infiniband_port(const fs::path& device, const fs::path& port) {
  struct Counter {
    const char* file;
    const char* words;
  };
  constexpr std::array<Counter, 5> kCounters = {{{"link_downed", "times down"},
                                                 {"link_error_recovery", "error recoveries"},
                                                 {"symbol_error", "symbol errors"},
                                                 {"port_rcv_errors", "receive errors"},
                                                 {"port_xmit_discards", "transmit drops"}}};
  Link link{.name = device.filename().string() + "/" + port.filename().string(),
            .state = infiniband_state(process::text_of(port / "state")),
            .troubles = {}};
  for (const Counter& counter : kCounters) {
    if (const auto count = number_in_file(port / "counters" / counter.file))
      link.troubles[counter.words] = *count;
  }
  return link;
}

bool was_never_used(const Link& link) {
  return link.state == "down" &&
         std::ranges::all_of(link.troubles, [](const auto& trouble) { return trouble.second == 0; });
}

}  // namespace

std::vector<Link> parse_net_dev(std::string_view text) {
  std::vector<Link> links;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = base::trimmed(line->substr(0, colon));
    const std::vector<std::string_view> counts = words_of(line->substr(colon + 1));
    constexpr std::size_t kColumns = 16;
    if (name == "lo" || counts.size() < kColumns) continue;
    const auto at = [&](std::size_t column) {
      return base::number_in<std::uint64_t>(counts[column]).value_or(0);
    };
    links.push_back({.name = std::string(name),
                     .state = "",
                     .troubles = {{"receive errors", at(2)},
                                  {"receive drops", at(3)},
                                  {"transmit errors", at(10)},
                                  {"transmit drops", at(11)}}});
  }
  return links;
}

std::optional<std::uint64_t> parse_sent_again(std::string_view text) {
  std::vector<std::string_view> names;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    if (!line->starts_with("Tcp:")) continue;
    const std::vector<std::string_view> words = words_of(*line);
    if (names.empty()) {
      names = words;
      continue;
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(names, "RetransSegs") - names.begin());
    return place < words.size() ? base::number_in<std::uint64_t>(words[place]) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Link> read_links(const process::Roots& roots) {
  std::vector<Link> links = parse_net_dev(process::text_of(roots.proc / "net/dev"));
  for (Link& link : links) {
    const fs::path folder = roots.sys / "class/net" / link.name;
    link.state = base::trimmed(process::text_of(folder / "operstate"));
    if (const auto count = number_in_file(folder / "carrier_changes"))
      link.troubles["carrier changes"] = *count;
  }
  std::erase_if(links, was_never_used);
  for (const fs::path& device : entries_of(roots.sys / "class/infiniband")) {
    for (const fs::path& port : entries_of(device / "ports")) links.push_back(infiniband_port(device, port));
  }
  return links;
}

}  // namespace lockstep::hostinfo
