#include "diagnose/logs/piece.h"

#include <algorithm>
#include <array>

#include "base/mapped_pages.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Prefilter;

constexpr std::size_t kPiece = std::size_t{32} << 20;
// What stays in a core's second cache while it is looked at three times: factors, patterns, newlines.
constexpr std::size_t kBlock = std::size_t{512} << 10;

// The end of the part that begins at `begin`, at a line's end where there is one.
std::size_t part_end(std::string_view bytes, std::size_t begin, std::size_t end, std::size_t size) {
  if (end - begin <= size) return end;
  const std::size_t newline = bytes.rfind('\n', begin + size);
  return newline == std::string_view::npos || newline <= begin + size / 2 ? begin + size : newline + 1;
}

// A factor is a part of a mark, without regard to case: the mark itself stands around it or not at all.
class FirstMarks {
 public:
  FirstMarks(std::string_view bytes, Piece& piece) : bytes_(bytes), piece_(piece) { next_.fill(0); }

  void look_around(std::size_t place) {
    for (std::size_t mark = 0; mark < model::kLogMarks.size(); ++mark) {
      if (place < next_[mark]) continue;
      const std::string_view words = model::kLogMarks[mark];
      const std::size_t from = place - std::min(place, words.size());
      const std::size_t found = bytes_.substr(from, 3 * words.size()).find(words);
      if (found == std::string_view::npos) continue;
      piece_.marks.push_back({static_cast<model::LogMark>(mark), from + found});
      next_[mark] = ((from + found) / model::LogMarks::kBlock + 1) * model::LogMarks::kBlock;
    }
  }

 private:
  std::string_view bytes_;
  Piece& piece_;
  std::array<std::size_t, model::kLogMarks.size()> next_;  // the end of the block that has one already
};

}  // namespace

std::vector<Piece> pieces_of(std::span<const LogText> logs) {
  std::vector<Piece> pieces;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::string_view bytes = logs[log].bytes;
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t end = part_end(bytes, begin, bytes.size(), kPiece);
      pieces.push_back({log, begin, end});
      begin = end;
    }
  }
  return pieces;
}

class PieceScanner::Hits {
 public:
  Hits(Piece& piece, std::size_t most) : piece_(piece), most_(most) {}

  void add(std::string_view bytes, unsigned pattern, std::size_t end) {
    Seen& seen = seen_[pattern];
    if (end <= seen.line_end || seen.count >= most_) return;
    const LineSpan line = line_around(bytes, end - 1);
    seen = {line.end, seen.count + 1};
    piece_.hits.push_back({pattern, line});
  }

 private:
  struct Seen {
    std::size_t line_end = 0;
    std::size_t count = 0;
  };
  Piece& piece_;
  std::size_t most_;
  std::map<unsigned, Seen> seen_;
};

PieceScanner::PieceScanner(const Catalogue& catalogue)
    : catalogue_(catalogue), telling_(catalogue.telling()) {
  const Prefilter* prefilter = catalogue.prefilter();
  if (prefilter != nullptr && prefilter->everywhere() != nullptr)
    everywhere_ = std::make_unique<base::PatternScanner>(*prefilter->everywhere());
}

void PieceScanner::scan(const LogText& log, Piece& piece, std::size_t most_hits) {
  Hits hits(piece, most_hits);
  for (std::size_t begin = piece.begin; begin < piece.end;) {
    const std::size_t end = part_end(log.bytes, begin, piece.end, kBlock);
    const std::string_view block = log.bytes.substr(begin, end - begin);
    if (log.is_mapped_file) base::fetch_pages(block);
    scan_block(log, begin, end, hits, piece);
    if (log.line_marks.end() != log.bytes.size()) piece.blocks.push_back({end, base::count_lines(block)});
    if (log.is_mapped_file) base::forget_pages(block);
    begin = end;
  }
  std::ranges::stable_sort(piece.hits, {}, [](const Hit& hit) { return hit.line.begin; });
}

void PieceScanner::scan_block(const LogText& log, std::size_t begin, std::size_t end, Hits& hits,
                              Piece& piece) {
  const auto scan_all = [&] {
    telling_.scan(log.bytes.substr(begin, end - begin), [&](unsigned pattern, std::size_t match_end) {
      hits.add(log.bytes, pattern, begin + match_end);
    });
  };
  if (catalogue_.prefilter() == nullptr) return scan_all();
  find_candidates(log.bytes, begin, end, piece);
  // So many lines are faster looked at together.
  std::size_t bytes_to_look_at = 0;
  for (const LineSpan& line : candidates_) bytes_to_look_at += line.end - line.begin;
  if (bytes_to_look_at > (end - begin) / 4 && candidates_.size() > 16) return scan_all();
  candidate_text_.clear();
  for (const LineSpan& line : candidates_) candidate_text_.add(log.bytes, line.begin, line.end);
  candidate_text_.scan(
      telling_, [&](unsigned pattern, std::size_t match_end) { hits.add(log.bytes, pattern, match_end); });
}

// A factor may reach over an end of the log by bytes that may be anything, so the lines there are always
// looked at.
void PieceScanner::find_candidates(std::string_view bytes, std::size_t begin, std::size_t end, Piece& piece) {
  candidates_.clear();
  if (begin == 0) add_candidate(bytes, 0);
  const std::size_t aligned = begin / base::kWindowBytes * base::kWindowBytes;
  const Prefilter& prefilter = *catalogue_.prefilter();
  FirstMarks marks(bytes, piece);
  prefilter.factors().scan(bytes, aligned, end, [&](std::size_t factor, std::size_t at) {
    if (prefilter.is_of_mark(factor)) return marks.look_around(at);
    add_candidate(bytes, at + base::kFactorBytes / 2);
  });
  if (everywhere_ != nullptr) {
    everywhere_->scan(bytes.substr(begin, end - begin), [&](unsigned, std::size_t match_end) {
      if (match_end > 0) add_candidate(bytes, begin + match_end - 1);
    });
  }
  if (end == bytes.size()) add_candidate(bytes, bytes.find_last_not_of("\r\n"));
  std::ranges::sort(candidates_, {}, &LineSpan::begin);
  const auto same = [](const LineSpan& one, const LineSpan& other) { return one == other; };
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), same), candidates_.end());
}

// Of a huge line only what lies around the place; a place that the last look covers well needs no other.
void PieceScanner::add_candidate(std::string_view bytes, std::size_t place) {
  if (place >= bytes.size()) return;
  if (!candidates_.empty()) {
    const LineSpan& last = candidates_.back();
    const bool is_whole = last.end - last.begin < kLongestLine;
    if (place >= last.begin && place < last.end && (is_whole || place + kLongestLine / 2 < last.end)) return;
  }
  candidates_.push_back(line_around(bytes, place));
}

}  // namespace lockstep::logs
