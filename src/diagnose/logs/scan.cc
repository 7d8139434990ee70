#include "diagnose/logs/scan.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "diagnose/logs/joined_parts.h"
#include "diagnose/logs/piece.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;

// Facts are told at the start and shown again near the end; what lies between costs more than it tells. Of
// many logs each needs to tell less.
constexpr std::size_t kEndOfLog = std::size_t{4} << 20;
constexpr std::size_t kLeastEndOfLog = std::size_t{4} << 10;
constexpr std::size_t kEndsOfAllLogs = std::size_t{16} << 20;
// A message that repeats more often than this in one log adds nothing to the verdict; of many logs each may
// repeat it less.
constexpr std::size_t kMostHitsOfPattern = 512;
constexpr std::size_t kLeastHitsOfPattern = 16;
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
  if (tasks <= 1) return work();
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(cores, tasks); ++i) helpers.emplace_back(work);
  work();
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
  return share_of(kHitsOfAllLogs, logs, kLeastHitsOfPattern, kMostHitsOfPattern);
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
  const std::size_t end_of_log = share_of(kEndsOfAllLogs, logs.size(), kLeastEndOfLog, kEndOfLog);
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
