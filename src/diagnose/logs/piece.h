// What one core takes of a log at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/text_search/pattern_set.h"
#include "diagnose/logs/joined_parts.h"
#include "diagnose/logs/scan.h"
#include "model/log_marks.h"

namespace lockstep::logs {

struct Piece {
  struct Block {
    std::size_t end = 0;
    std::uint64_t lines = 0;
  };

  struct Mark {
    model::LogMark mark = {};
    std::size_t place = 0;
  };

  std::size_t log = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<Hit> hits = {};      // in the order of the log
  std::vector<Block> blocks = {};  // that it was read in
  std::vector<Mark> marks = {};    // the first of each kind in every block
};

// Cut at ends of lines where there are any.
std::vector<Piece> pieces_of(std::span<const LogText> logs);

// One for each thread.
class PieceScanner {
 public:
  explicit PieceScanner(const catalogue::Catalogue& catalogue);

  // Of a pattern that matches more often than `most_hits` in the piece only the first lines are kept.
  void scan(const LogText& log, Piece& piece, std::size_t most_hits);

 private:
  class Hits;

  void scan_block(const LogText& log, std::size_t begin, std::size_t end, Hits& hits, Piece& piece);
  void find_candidates(std::string_view bytes, std::size_t begin, std::size_t end, Piece& piece);
  void add_candidate(std::string_view bytes, std::size_t place);

  const catalogue::Catalogue& catalogue_;
  base::PatternScanner telling_;
  std::unique_ptr<base::PatternScanner> everywhere_;
  std::vector<LineSpan> candidates_;
  JoinedParts candidate_text_;
};

}  // namespace lockstep::logs
