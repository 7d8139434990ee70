#include "symptoms/scan.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

namespace lockstep::symptoms {
namespace {

// What one core takes at a time.
constexpr std::size_t kPiece = std::size_t{32} << 20;
// Facts are told at the start and shown again near the end; what lies between costs more than it tells.
constexpr std::size_t kEndOfLog = std::size_t{4} << 20;
// A message that repeats more often than this in one piece adds nothing to the verdict.
constexpr std::size_t kMostHitsOfPattern = 512;

struct Piece {
  std::size_t log = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<Hit> hits = {};
};

// The end of the piece that begins at `begin`, at a line's end where there is one.
std::size_t piece_end(std::string_view bytes, std::size_t begin) {
  if (bytes.size() - begin <= kPiece) return bytes.size();
  const std::size_t newline = bytes.rfind('\n', begin + kPiece);
  return newline == std::string_view::npos || newline <= begin ? begin + kPiece : newline + 1;
}

std::vector<Piece> pieces_of(std::span<const LogText> logs) {
  std::vector<Piece> pieces;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    for (std::size_t begin = 0; begin < logs[log].bytes.size();) {
      const std::size_t end = piece_end(logs[log].bytes, begin);
      pieces.push_back({log, begin, end});
      begin = end;
    }
  }
  return pieces;
}

class HitCollector {
 public:
  HitCollector(std::string_view bytes, Piece& piece) : bytes_(bytes), piece_(piece) {}

  void add(unsigned pattern, std::size_t end) {
    Seen& seen = seen_[pattern];
    if (end <= seen.line_end || seen.count >= kMostHitsOfPattern) return;
    const LineSpan line = line_around(bytes_, end - 1);
    seen = {line.end, seen.count + 1};
    piece_.hits.push_back({pattern, line});
  }

 private:
  struct Seen {
    std::size_t line_end = 0;
    std::size_t count = 0;
  };
  std::string_view bytes_;
  Piece& piece_;
  std::map<unsigned, Seen> seen_;
};

void scan_piece(base::PatternScanner& scanner, std::string_view bytes, Piece& piece) {
  HitCollector collector(bytes, piece);
  scanner.scan(bytes.substr(piece.begin, piece.end - piece.begin),
               [&](unsigned pattern, std::size_t end) { collector.add(pattern, piece.begin + end); });
  std::ranges::stable_sort(piece.hits, {}, [](const Hit& hit) { return hit.line.begin; });
}

void scan_pieces(const Catalogue& catalogue, std::span<const LogText> logs, std::span<Piece> pieces) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    base::PatternScanner scanner(catalogue.telling());
    for (std::size_t i = next++; i < pieces.size(); i = next++)
      scan_piece(scanner, logs[pieces[i].log].bytes, pieces[i]);
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(cores, pieces.size()); ++i) helpers.emplace_back(work);
  work();
}

std::map<std::size_t, LineSpan> facts_in(const Catalogue& catalogue, base::PatternScanner& scanner,
                                         std::string_view bytes) {
  std::map<std::size_t, LineSpan> facts;
  const auto look = [&](std::size_t begin, std::size_t size) {
    scanner.scan(bytes.substr(begin, size), [&](unsigned pattern, std::size_t end) {
      const std::size_t fact = catalogue.owner_of_fact(pattern).owner;
      const LineSpan line = line_around(bytes, begin + end - 1);
      const auto [known, is_new] = facts.try_emplace(fact, line);
      if (!is_new && line.begin < known->second.begin) known->second = line;
    });
  };
  const std::size_t head = std::min(bytes.size(), kEndOfLog);
  const std::size_t tail = std::max(head, bytes.size() - std::min(bytes.size(), kEndOfLog));
  look(0, head);
  look(tail, bytes.size() - tail);
  return facts;
}

}  // namespace

std::vector<Scan> scan_logs(const Catalogue& catalogue, std::span<const LogText> logs) {
  std::vector<Piece> pieces = pieces_of(logs);
  scan_pieces(catalogue, logs, pieces);
  std::vector<Scan> scans(logs.size());
  for (Piece& piece : pieces) std::ranges::move(piece.hits, std::back_inserter(scans[piece.log].hits));
  base::PatternScanner scanner(catalogue.telling_of_facts());
  for (std::size_t log = 0; log < logs.size(); ++log)
    scans[log].facts = facts_in(catalogue, scanner, logs[log].bytes);
  return scans;
}

}  // namespace lockstep::symptoms
