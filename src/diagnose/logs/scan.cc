#include "diagnose/logs/scan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/on_threads.h"
#include "base/text_search/pattern_set.h"
#include "model/log_marks.h"

namespace lockstep::logs {
namespace {

// What one core takes of a log at a time.
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

using catalogue::Catalogue;
using catalogue::Prefilter;

constexpr std::size_t kPiece = std::size_t{32} << 20;
// What stays in a core's second cache while it is looked at three times: factors, patterns, newlines.
constexpr std::size_t kBlock = std::size_t{512} << 10;

// The end of the part that begins at `begin`, at a line's end where there is one.
std::size_t part_end(std::string_view bytes, std::size_t begin, std::size_t end, std::size_t size) {
  if (end - begin <= size) return end;
  const std::size_t half = size / 2;  // of a line that is longer nobody looks for the begin again and again
  const std::size_t newline = bytes.substr(begin + half, size - half + 1).rfind('\n');
  return newline == std::string_view::npos || newline == 0 ? begin + size : begin + half + newline + 1;
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

// Cut at ends of lines where there are any.
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

}  // namespace

void JoinedParts::clear() {
  text_.clear();
  begins_.clear();
  begins_in_log_.clear();
}

void JoinedParts::add(std::string_view bytes, std::size_t begin, std::size_t end) {
  if (!text_.empty()) text_ += '\n';
  begins_.push_back(text_.size());
  begins_in_log_.push_back(begin);
  text_ += bytes.substr(begin, end - begin);
}

void JoinedParts::scan(base::PatternScanner& scanner, const base::PatternScanner::OnMatch& on_match) {
  scanner.scan_growing(text_, [&](unsigned id, std::size_t end) {
    const auto after = std::ranges::lower_bound(begins_, end);
    const auto part = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - begins_.begin() - 1));
    on_match(id, begins_in_log_[part] + end - begins_[part]);
  });
}

namespace {

// Facts are told at the start and shown again near the end; what lies between costs more than it tells. Of
// many logs each needs to tell less.
constexpr std::size_t kMaxScannedEnd = std::size_t{4} << 20;
constexpr std::size_t kMinScannedEnd = std::size_t{4} << 10;
constexpr std::size_t kMaxScannedEndsOfAll = std::size_t{16} << 20;
// A message that repeats more often than this in one log adds nothing to the verdict; of many logs each may
// repeat it less.
constexpr std::size_t kMaxHitsOfPattern = 512;
constexpr std::size_t kMinHitsOfPattern = 16;
constexpr std::size_t kHitsOfAllLogs = 100'000;

std::size_t share_of(std::size_t all, std::size_t logs, std::size_t least, std::size_t most) {
  return std::clamp(all / std::max<std::size_t>(1, logs), least, most);
}

class Progress {
 public:
  Progress(std::span<const LogText> logs, const OnScanned& on_scanned) : on_scanned_(on_scanned) {
    for (const LogText& log : logs) bytes_ += log.bytes.size();
  }

  void add(std::uint64_t bytes) {
    if (!on_scanned_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    on_scanned_(done_, bytes_);
  }

 private:
  const OnScanned& on_scanned_;
  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::uint64_t done_ = 0;
};

template <typename MakeWorker>
void on_all_cores(std::size_t tasks, MakeWorker&& make_worker) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    auto worker = make_worker();
    for (std::size_t i = next++; i < tasks; i = next++) worker(i);
  };
  base::on_threads(std::min(base::core_count(), tasks), work);
}

// The first lines of each pattern in a log and its last ones.
void keep_first_and_last(std::vector<Hit>& hits, std::size_t most) {
  std::map<unsigned, std::size_t> total;
  for (const Hit& hit : hits) ++total[hit.pattern];
  std::map<unsigned, std::size_t> seen;
  std::erase_if(hits, [&](const Hit& hit) {
    const std::size_t number = seen[hit.pattern]++;
    return number >= most && number + most < total[hit.pattern];
  });
}

Scan scan_from(std::span<Piece> pieces, std::size_t log_size, std::size_t most_hits) {
  Scan scan;
  scan.marks = model::LogMarks(log_size);
  for (Piece& piece : pieces) {
    std::ranges::move(piece.hits, std::back_inserter(scan.hits));
    piece.hits = {};
    for (const Piece::Block& block : piece.blocks) scan.marks.lines.add(block.end, block.lines);
    for (const Piece::Mark& found : piece.marks) scan.marks.add(found.mark, found.place);
    piece.blocks = {};
    piece.marks = {};
    if (scan.hits.size() > kHitsOfAllLogs) keep_first_and_last(scan.hits, most_hits);
  }
  if (pieces.size() > 1) keep_first_and_last(scan.hits, most_hits);
  return scan;
}

std::map<std::size_t, LineSpan> facts_in(const Catalogue& catalogue, base::PatternScanner& scanner,
                                         JoinedParts& ends, const LogText& log, std::size_t end_of_log) {
  std::map<std::size_t, LineSpan> facts;
  const std::string_view bytes = log.bytes;
  const std::size_t head = std::min(bytes.size(), end_of_log);
  const std::size_t tail = std::max(head, bytes.size() - std::min(bytes.size(), end_of_log));
  ends.clear();
  ends.add(bytes, 0, head);
  if (tail < bytes.size()) ends.add(bytes, tail, bytes.size());
  ends.scan(scanner, [&](unsigned pattern, std::size_t end) {
    const std::size_t fact = catalogue.owner_of_fact(pattern).owner;
    const LineSpan line = line_around(bytes, end - 1);
    const auto [known, is_new] = facts.try_emplace(fact, line);
    if (!is_new && line.begin < known->second.begin) known->second = line;
  });
  let_go(log);
  return facts;
}

std::size_t most_hits_of(std::size_t logs) {
  return share_of(kHitsOfAllLogs, logs, kMinHitsOfPattern, kMaxHitsOfPattern);
}

// All but the facts.
std::vector<Scan> scan_for_hits(const Catalogue& catalogue, std::span<const LogText> logs,
                                std::size_t most_hits, const OnScanned& on_scanned) {
  std::vector<Piece> pieces = pieces_of(logs);
  Progress progress(logs, on_scanned);
  on_all_cores(pieces.size(), [&] {
    return [&, scanner = std::make_shared<PieceScanner>(catalogue)](std::size_t i) {
      scanner->scan(logs[pieces[i].log], pieces[i], most_hits);
      progress.add(pieces[i].end - pieces[i].begin);
    };
  });
  std::vector<Scan> scans(logs.size());
  for (auto begin = pieces.begin(); begin != pieces.end();) {
    const auto end = std::ranges::find_if(begin, pieces.end(),
                                          [&](const Piece& piece) { return piece.log != begin->log; });
    scans[begin->log] = scan_from({begin, end}, logs[begin->log].bytes.size(), most_hits);
    begin = end;
  }
  return scans;
}

}  // namespace

Scan look_through(const Catalogue& catalogue, const LogText& log, std::size_t logs,
                  const OnScanned& on_scanned) {
  return std::move(scan_for_hits(catalogue, {&log, 1}, most_hits_of(logs), on_scanned).front());
}

std::vector<Scan> scan_logs(const Catalogue& catalogue, std::span<const LogText> logs,
                            const OnScanned& on_scanned, std::vector<std::optional<Scan>> seen_before) {
  seen_before.resize(logs.size());
  std::vector<LogText> unseen;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    if (!seen_before[log]) unseen.push_back(logs[log]);
  }
  std::vector<Scan> seen_now = scan_for_hits(catalogue, unseen, most_hits_of(logs.size()), on_scanned);
  std::vector<Scan> scans;
  auto next = seen_now.begin();
  for (std::optional<Scan>& before : seen_before) scans.push_back(std::move(before ? *before : *next++));
  const std::size_t end_of_log = share_of(kMaxScannedEndsOfAll, logs.size(), kMinScannedEnd, kMaxScannedEnd);
  on_all_cores(logs.size(), [&] {
    return [&, scanner = std::make_shared<base::PatternScanner>(catalogue.telling_of_facts()),
            ends = JoinedParts()](std::size_t i) mutable {
      scans[i].facts = facts_in(catalogue, *scanner, ends, logs[i], end_of_log);
    };
  });
  return scans;
}

std::vector<Hit> hits_in(const Catalogue& catalogue, std::string_view text) {
  LogText log;
  log.bytes = text;
  return scan_for_hits(catalogue, {&log, 1}, most_hits_of(1), {}).front().hits;
}

}  // namespace lockstep::logs
