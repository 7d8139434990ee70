// The report names only outliers:
//
//   #0-0 (da86134f342b51b6) MISMATCH
//     Communicator ranks have different AllReduce operation counts
//     30 ranks have launched up to operation 640
//     Rank 12 has launched up to operation 641 -- GPU 4 managed by process 3230 on node 10.1.2.3
//
// Where one set of such a list is not named and the others are, the unnamed ranks are all the rest: the size
// of the communicator stands in the table.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "readers/nccl/ras.h"
#include "readers/nccl/ras_findings.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {
namespace {

using base::number_after;
using base::number_in;
using base::rest_after;
using base::word_after;
using model::CommunicatorId;
using model::Liveness;

constexpr std::size_t kRasTextSniffBytes = 65536;
// Ranks that are not named cost memory that the file does not pay for; no real job has as many.
constexpr int kMaxInferredRanks = 1 << 17;

enum class Topic : std::uint8_t { kNothing, kCounts, kStatus, kInitErrors, kAsyncErrors, kMissing, kDead };

struct TableRow {
  int communicators = 0;
  int size = 0;
};

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = base::trimmed(line)).empty() && words.size() < 16) {
    words.push_back(base::word_of(line, " \t"));
    line.remove_prefix(words.back().size());
  }
  return words;
}

class TextReport {
 public:
  explicit TextReport(const Source& source) : source_(source) {}

  model::Job read() {
    base::Lines lines(source_.bytes);
    while (const auto line = lines.next()) {
      line_ = lines.number();
      read_line(base::trimmed(*line));
    }
    close_list();
    return finish();
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with("Job summary")) return begin_report();
    if (line.starts_with('#')) return begin_communicator(line);
    if (line.starts_with("INCOMPLETE")) return begin_topic(Topic::kMissing);
    if (line.starts_with("DEAD")) return begin_topic(Topic::kDead);
    if (line.starts_with("Communicator ranks have different ")) return begin_differences(line);
    if (line.starts_with("Initialization error")) return begin_topic(Topic::kInitErrors);
    if (line.starts_with("Asynchronous error")) return begin_topic(Topic::kAsyncErrors);
    if (line.starts_with("The missing rank")) return read_rank_list(line);
    if (line.starts_with("Process ")) return read_process(line);
    if (line.starts_with("Rank ")) return read_rank(line);
    if (line.starts_with('[')) return read_monitor_line(line);
    if (line.starts_with("Encountered ")) return read_timeouts(line);
    if (line.find(" ranks ") != std::string_view::npos) return read_share(line);
    read_numbers(line);
  }

  // Ends what came before; a file may hold several reports.
  void begin_report() {
    close_list();
    rows_.clear();
    devices_.reset();
    communicator_ = CommunicatorId::kNone;
  }

  void begin_topic(Topic topic) {
    close_list();
    topic_ = topic;
  }

  // "#1-0 (5f2...) MISMATCH": the first number is the row of the table.
  void begin_communicator(std::string_view line) {
    close_list();
    const auto row = number_in<int>(base::word_of(line.substr(1), '-'));
    const std::string_view hash = word_after(line, "(", ')');
    if (!row || hash.empty()) return;  // the table's head
    const auto found = rows_.find(*row);
    const bool has_size = found != rows_.end() && found->second.size > 0;
    communicator_ = findings_.roster().communicator(
        nccl_communicator_name(hash), has_size ? std::optional(found->second.size) : std::nullopt);
    size_ = has_size ? found->second.size : 0;
    topic_ = line.ends_with("INCOMPLETE") ? Topic::kMissing : Topic::kNothing;
    if (has_size && found->second.communicators == 1 && is_largest(found->second)) world_ = communicator_;
  }

  bool is_largest(const TableRow& row) const {
    if (devices_ && *devices_ != row.size) return false;
    return std::ranges::count_if(rows_, [&](const auto& other) { return other.second.size >= row.size; }) ==
           1;
  }

  // "... different AllReduce operation counts"; 2.24 and 2.25 count all "collective" operations together.
  void begin_differences(std::string_view line) {
    begin_topic(line.ends_with("status") ? Topic::kStatus : Topic::kCounts);
    const std::string_view counted = word_after(line, "different ");
    operation_ = nccl_operation(counted);
    const bool is_new_operation = operation_ == model::Operation::kUnknown && counted != "collective";
    if (topic_ == Topic::kCounts && is_new_operation) topic_ = Topic::kNothing;
  }

  // "30 ranks have launched up to operation 640", "2 ranks have status INIT", "3 ranks reported System error"
  void read_share(std::string_view line) {
    const auto ranks = number_in<int>(base::word_of(line));
    if (!ranks || topic_ == Topic::kNothing) return;
    shares_.push_back({.value = value_in(line), .ranks = *ranks, .named = {}, .line = line_});
  }

  static std::string_view value_in(std::string_view line) {
    line = line.substr(0, line.find(" -- "));
    if (line.find("not launched any") != std::string_view::npos) return "0";
    for (const std::string_view key :
         {"launched up to operation ", "have status ", "has status ", "reported "}) {
      if (line.find(key) != std::string_view::npos) return rest_after(line, key);
    }
    return "";
  }

  // "Rank 3 -- GPU 4 (NVML 5) managed by process 17 on node h" belongs to the share before it; "Rank 3 has
  // launched up to operation 7 -- GPU ..." is a share of its own.
  void read_rank(std::string_view line) {
    const auto rank = number_after<int>(line, "Rank ");
    if (!rank || *rank < 0 || communicator_ == CommunicatorId::kNone) return;
    name_process(*rank, line);
    if (topic_ == Topic::kMissing) return set_missing(*rank);
    const std::string_view value = value_in(line);
    if (!value.empty()) shares_.push_back({.value = value, .ranks = 1, .named = {}, .line = line_});
    if (!shares_.empty()) shares_.back().named.push_back(*rank);
  }

  void name_process(int rank, std::string_view line) {
    const auto pid = number_after<std::int64_t>(line, "managed by process ");
    const std::string_view host = word_after(line, " on node ");
    if (!pid || host.empty()) return;
    const auto device = number_after<int>(line, "GPU ");
    Roster& roster = findings_.roster();
    const Roster::Process process = roster.process(host, *pid, device.value_or(0));
    findings_.set_liveness(process, Liveness::kAlive);
    roster.join(communicator_, rank, process);
  }

  Roster::Process process_of(CommunicatorId communicator, int rank) {
    Roster& roster = findings_.roster();
    if (const auto known = roster.member(communicator, rank)) return *known;
    const Roster::Process process = roster.nameless_process();
    roster.join(communicator, rank, process);
    return process;
  }

  void set_missing(int rank) {
    absent_[communicator_].insert(rank);
    findings_.set_liveness(process_of(communicator_, rank), Liveness::kUnresponsive);
  }

  // 2.24 gives only the numbers: "The missing ranks: 3,4"
  void read_rank_list(std::string_view line) {
    if (communicator_ == CommunicatorId::kNone) return;
    std::string_view list = base::trimmed(rest_after(line, ":"));
    while (!list.empty()) {
      const std::string_view word = base::word_of(list, ',');
      if (const auto rank = number_in<int>(word); rank && *rank >= 0) set_missing(*rank);
      list.remove_prefix(std::min(list.size(), word.size() + 1));
    }
  }

  // "Process 438 on node 10.1.2.3 managing GPU 0", under INCOMPLETE or DEAD
  void read_process(std::string_view line) {
    const auto pid = number_after<std::int64_t>(line, "Process ");
    const std::string_view host = word_after(line, " on node ");
    if (!pid || host.empty()) return;
    if (topic_ != Topic::kMissing && topic_ != Topic::kDead) return;
    processes_.push_back(
        {std::string(host), *pid, topic_ == Topic::kDead ? Liveness::kDead : Liveness::kUnresponsive});
  }

  // "[2026-01-02 10:00:00] PEER_DEAD: Process 438 on node 10.1.2.3 ..."
  void read_monitor_line(std::string_view line) {
    const std::string_view event = word_after(line, "] ", ": ");
    const auto pid = number_after<std::int64_t>(line, "rocess ");
    const std::string_view host = word_after(line, " on node ", " ,:");
    if (pid && !host.empty()) findings_.add_monitor_event(event, host, *pid);
  }

  void read_timeouts(std::string_view line) {
    if (const auto timeouts = number_after<int>(line, "Encountered ")) timeouts_ = *timeouts;
  }

  // A row of the table of communicators, or the totals of the job.
  void read_numbers(std::string_view line) {
    const std::vector<std::string_view> words = words_in(line);
    if (words.size() == 8) {
      const auto group = number_in<int>(words[0]);
      const auto communicators = number_in<int>(words[1]);
      const auto size = number_in<int>(words[4]);
      if (group && communicators && size) rows_[*group] = {.communicators = *communicators, .size = *size};
    } else if ((words.size() == 5 || words.size() == 3) && !devices_ &&
               std::ranges::all_of(words,
                                   [](std::string_view word) { return number_in<int>(word).has_value(); })) {
      if (words.size() == 5 || has_totals_) devices_ = number_in<int>(words.back());
    }
    has_totals_ = line.starts_with("(total)");
  }

  // The list of shares is complete: attribute each to its ranks.
  void close_list() {
    infer_unnamed();
    for (const RasShare& share : shares_) {
      for (const int rank : share.named) {
        facts_.push_back({.communicator = communicator_,
                          .rank = rank,
                          .topic = topic_,
                          .operation = operation_,
                          .value = share.value,
                          .line = share.line});
      }
    }
    shares_.clear();
    topic_ = Topic::kNothing;
  }

  // Ranks of a smaller communicator without a process have no number: nothing is gained by naming them.
  void infer_unnamed() {
    if (communicator_ == CommunicatorId::kNone || communicator_ != world_) return;
    if (topic_ != Topic::kCounts && topic_ != Topic::kStatus) return;
    if (inferred_ + size_ > kMaxInferredRanks) return;
    name_the_rest(shares_, size_, absent_[communicator_]);
    inferred_ += size_;
  }

  // Only now, when every process that the report names is known.
  model::Job finish() {
    for (const Fact& fact : facts_) apply(fact);
    for (const auto& [host, pid, liveness] : processes_) findings_.set_liveness_of_all(host, pid, liveness);
    Roster& roster = findings_.roster();
    model::Job job =
        findings_.finish(source_, world_ ? roster.numbers_by(*world_) : roster.numbers_by_nobody());
    if (timeouts_ > 0) {
      job.limits.push_back(
          fmt::format("{}: {} processes did not answer RAS in time", source_.name, timeouts_));
    }
    if (job.ranks.empty()) {
      job.limits.push_back(
          fmt::format("{}: the RAS report names no rank: it found no difference between them", source_.name));
    }
    return job;
  }

  struct Fact {
    CommunicatorId communicator = CommunicatorId::kNone;
    int rank = 0;
    Topic topic = Topic::kNothing;
    model::Operation operation = model::Operation::kUnknown;
    std::string_view value;
    std::uint32_t line = 0;
  };

  void apply(const Fact& fact) {
    if (fact.communicator == CommunicatorId::kNone) return;
    const Roster::Process process = process_of(fact.communicator, fact.rank);
    switch (fact.topic) {
      case Topic::kCounts:
        if (const auto count = number_in<std::int64_t>(base::trimmed(fact.value))) {
          findings_.set_count(process, fact.communicator, fact.operation, *count, fact.line);
        }
        break;
      case Topic::kStatus:
        if (fact.value == "NOCOMM" || fact.value == "UNKNOWN") break;
        findings_.set_creation(process, fact.communicator, fact.value == "INIT" ? kNcclInProgress : 0,
                               fact.line);
        break;
      case Topic::kInitErrors:
        findings_.add_error(process, fact.communicator, "initialization", fact.value, fact.line);
        break;
      case Topic::kAsyncErrors:
        findings_.add_error(process, fact.communicator, "asynchronous", fact.value, fact.line);
        break;
      case Topic::kNothing:
      case Topic::kMissing:
      case Topic::kDead:
        break;
    }
  }

  struct ProcessLiveness {
    std::string host;
    std::int64_t pid = 0;
    Liveness liveness = Liveness::kUnknown;
  };

  const Source& source_;
  RasFindings findings_;
  std::uint32_t line_ = 0;
  std::map<int, TableRow> rows_;
  std::optional<int> devices_;  // GPUs of the whole job
  bool has_totals_ = false;
  CommunicatorId communicator_ = CommunicatorId::kNone;
  int size_ = 0;
  std::map<CommunicatorId, std::set<int>> absent_;  // ranks that did not answer
  int inferred_ = 0;
  std::optional<CommunicatorId> world_;
  Topic topic_ = Topic::kNothing;
  model::Operation operation_ = model::Operation::kUnknown;
  std::vector<RasShare> shares_;
  std::vector<Fact> facts_;
  std::vector<ProcessLiveness> processes_;
  int timeouts_ = 0;
};

}  // namespace

bool recognises_ras_text(const Source& source) {
  const std::string_view head = source.bytes.substr(0, kRasTextSniffBytes);
  const auto has = [&](std::string_view words) { return head.find(words) != std::string_view::npos; };
  return (has("Job summary\n") && has("Communicators...")) ||
         (has("PEER_") && has("] PEER_") && has(" on node ") && has(": "));
}

model::Job read_ras_text(const Source& source) {
  return TextReport(source).read();
}

}  // namespace lockstep::readers
