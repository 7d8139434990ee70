#include "symptoms/scan.h"

#include <algorithm>

namespace lockstep::symptoms {
namespace {

// One call of the matcher. Memory mapped pages before it can be dropped while later ones are read.
constexpr std::size_t kPiece = std::size_t{64} << 20;
// A message that repeats more often than this adds nothing to the verdict.
constexpr std::size_t kMostHitsOfPattern = 512;

// The end of the piece that begins at `begin`, at a line's end where there is one.
std::size_t piece_end(std::string_view bytes, std::size_t begin) {
  if (bytes.size() - begin <= kPiece) return bytes.size();
  const std::size_t newline = bytes.rfind('\n', begin + kPiece);
  return newline == std::string_view::npos || newline <= begin ? begin + kPiece : newline + 1;
}

class Collector {
 public:
  Collector(const Catalogue& catalogue, std::string_view bytes) : catalogue_(catalogue), bytes_(bytes) {}

  void add(unsigned pattern, std::size_t end) {
    const PatternOwner& owner = catalogue_.owner_of_telling(pattern);
    if (owner.kind == PatternOwner::Kind::kFact) {
      if (!scan.facts.contains(owner.owner)) scan.facts[owner.owner] = line_around(bytes_, end - 1);
      return;
    }
    Seen& seen = seen_[pattern];
    if (end <= seen.line_end || seen.count >= kMostHitsOfPattern) return;
    const LineSpan line = line_around(bytes_, end - 1);
    seen = {line.end, seen.count + 1};
    scan.hits.push_back({pattern, line});
  }

  Scan scan;

 private:
  struct Seen {
    std::size_t line_end = 0;
    std::size_t count = 0;
  };
  const Catalogue& catalogue_;
  std::string_view bytes_;
  std::map<unsigned, Seen> seen_;
};

}  // namespace

Scan scan_log(const Catalogue& catalogue, const LogText& log) {
  Collector collector(catalogue, log.bytes);
  base::PatternScanner scanner(catalogue.telling());
  for (std::size_t begin = 0; begin < log.bytes.size();) {
    const std::size_t end = piece_end(log.bytes, begin);
    scanner.scan(log.bytes.substr(begin, end - begin),
                 [&](unsigned pattern, std::size_t match_end) { collector.add(pattern, begin + match_end); });
    begin = end;
  }
  std::ranges::stable_sort(collector.scan.hits, {}, [](const Hit& hit) { return hit.line.begin; });
  return std::move(collector.scan);
}

}  // namespace lockstep::symptoms
