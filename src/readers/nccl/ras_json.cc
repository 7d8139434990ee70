// The report is one JSON document, but a real one is not always JSON: 2.28 forgets a comma in every missing
// rank, tools that speak to the port themselves keep its "OK" lines, and a poll that hangs leaves half a
// document. So each rank is parsed by itself, repaired where it must be, and what is whole is used.
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/lines.h"
#include "readers/nccl/ras.h"
#include "readers/nccl/ras_findings.h"
#include "readers/nccl/roster.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {
namespace {

using base::FastJson;
using base::integer_member;
using base::member;
using base::string_member;
using model::CommunicatorId;

constexpr std::size_t kRasJsonSniffBytes = 65536;

// A line that begins an object with a key. Braces are rarer than lines in what else may be read.
bool has_object(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string_view::npos && text[next] == '"') return true;
  }
  return false;
}

bool ends_a_value(char c) {
  return c == '"' || c == '}' || c == ']' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Puts a comma between a value and the key that follows it without one.
std::string with_missing_commas(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 1);
  char last = ':';  // the last character that is not white space, outside of strings
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      if (ends_a_value(last)) out += ',';
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      out += text.substr(at, end - at + 1);
      at = end;
      last = '"';
    } else {
      out += c;
      if (std::isspace(static_cast<unsigned char>(c)) == 0) last = c;
    }
  }
  return out;
}

class Report {
 public:
  explicit Report(const Source& source) : source_(source), lines_(source.bytes) {}

  model::Job read() {
    base::JsonObjects documents = base::JsonObjects::stream(source_.bytes);
    while (const auto document = documents.next()) add_document(*document, false);
    if (!documents.cut_object().empty()) add_document(documents.cut_object(), true);
    model::Job job = findings_.finish(source_, findings_.roster().numbers_by_largest());
    say_limits(job);
    return job;
  }

 private:
  void add_document(std::string_view text, bool is_cut) {
    const std::string_view array = base::array_member(text, "communicators");
    was_cut_ = was_cut_ || is_cut;
    if (array.empty()) {
      if (!is_cut) add_event(text);
      return;
    }
    base::JsonObjects communicators(array);
    while (const auto communicator = communicators.next()) add_communicator(*communicator);
    if (!communicators.cut_object().empty()) add_communicator(communicators.cut_object());
  }

  std::optional<FastJson> parse(std::string_view text) {
    if (const auto value = parser_.parse(text)) return value;
    repaired_ = with_missing_commas(text);
    const auto value = parser_.parse(repaired_);
    if (!value) ++unreadable_;
    return value;
  }

  void add_communicator(std::string_view text) {
    const std::size_t head_end = text.find("\"ranks\"");
    if (head_end == std::string_view::npos) return;
    const auto head = parse(std::string(text.substr(0, head_end)) + "\"ranks\":0}");
    if (!head) return;
    const auto hash = string_member(*head, "hash");
    const auto size = integer_member(*head, "size");
    if (!hash) return;
    const auto communicator =
        findings_.roster().communicator(nccl_communicator_name(*hash), rank_number(size));
    ++communicators_;

    base::JsonObjects ranks(base::array_member(text, "ranks"));
    while (const auto rank = ranks.next()) add_rank(communicator, *rank, false);
    base::JsonObjects missing(base::array_member(text, "missing_ranks"));
    while (const auto rank = missing.next()) add_rank(communicator, *rank, true);
  }

  static std::optional<int> rank_number(std::optional<std::int64_t> value) {
    if (!value || *value < 0 || !std::in_range<int>(*value)) return std::nullopt;
    return static_cast<int>(*value);
  }

  void add_rank(CommunicatorId communicator, std::string_view text, bool is_missing) {
    const std::uint32_t line = lines_.line_of(text);
    const auto value = parse(text);
    if (!value) return;
    const auto rank = rank_number(integer_member(*value, "rank"));
    if (!rank) return;
    const Roster::Process process = process_of(*value, communicator, *rank);
    findings_.roster().join(communicator, *rank, process);
    const auto status = member(*value, "status");
    if (is_missing) {
      if (status) add_missing(process, *status);
      return;
    }
    findings_.set_liveness(process, model::Liveness::kAlive);
    if (const auto counts = member(*value, "collective_counts")) {
      add_counts(process, communicator, *counts, line);
    }
    if (status) add_status(process, communicator, *status, line);
  }

  Roster::Process process_of(FastJson rank, CommunicatorId communicator, int number) {
    const auto host = string_member(rank, "host");
    const auto pid = integer_member(rank, "pid");
    const auto device = rank_number(integer_member(rank, "cuda_dev"));
    Roster& roster = findings_.roster();
    if (host && pid && *pid > 0) return roster.process(*host, *pid, device.value_or(0));
    if (const auto known = roster.member(communicator, number)) return *known;
    return roster.nameless_process();
  }

  void add_missing(Roster::Process process, FastJson status) {
    // Neither: the process answered, it only has this communicator no more.
    if (base::bool_member(status, "considered_dead").value_or(false)) {
      findings_.set_liveness(process, model::Liveness::kDead);
    } else if (base::bool_member(status, "unresponsive").value_or(false)) {
      findings_.set_liveness(process, model::Liveness::kUnresponsive);
    } else {
      findings_.set_liveness(process, model::Liveness::kAlive);
    }
  }

  void add_counts(Roster::Process process, CommunicatorId communicator, FastJson counts, std::uint32_t line) {
    simdjson::dom::object object;
    if (counts.get(object) != simdjson::SUCCESS) return;
    for (const auto& field : object) {
      std::int64_t count = 0;
      const model::Operation operation = nccl_operation(field.key);
      if (operation == model::Operation::kUnknown || field.value.get(count) != simdjson::SUCCESS) continue;
      findings_.set_count(process, communicator, operation, count, line);
    }
  }

  void add_status(Roster::Process process, CommunicatorId communicator, FastJson status, std::uint32_t line) {
    const std::int64_t init_state = integer_member(status, "init_state").value_or(0);
    findings_.set_creation(process, communicator, init_state, line);
    const std::int64_t async_error = integer_member(status, "async_error").value_or(0);
    findings_.add_error(process, communicator, "asynchronous", nccl_error(async_error), line);
  }

  void add_event(std::string_view text) {
    const auto event = parse(text);
    if (!event) return;
    const auto name = string_member(*event, "event");
    const auto peer = member(*event, "peer");
    if (!name || !peer) return;
    const auto host = string_member(*peer, "host");
    const auto pid = integer_member(*peer, "pid");
    if (host && pid) findings_.add_monitor_event(*name, *host, *pid);
  }

  void say_limits(model::Job& job) const {
    if (was_cut_) {
      job.limits.push_back(
          fmt::format("{}: the RAS report is cut after {} communicators", source_.name, communicators_));
    }
    if (unreadable_ > 0) {
      job.limits.push_back(
          fmt::format("{}: {} entries of the RAS report could not be read", source_.name, unreadable_));
    }
  }

  const Source& source_;
  base::LineCounter lines_;
  base::FastJsonParser parser_;
  std::string repaired_;
  RasFindings findings_;
  std::size_t communicators_ = 0;
  std::size_t unreadable_ = 0;
  bool was_cut_ = false;
};

}  // namespace

bool recognises_ras_json(const Source& source) {
  const std::string_view head = source.bytes.substr(0, kRasJsonSniffBytes);
  if (!has_object(head)) return false;
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return (has("\"nccl_version\"") && has("\"communicators\"") && has("\"cuda_driver_version\"")) ||
         (has("\"group\": \"LIFECYCLE\"") && has("\"event\": \"")) ||
         (has("\"group\": \"TRACE\"") && has("\"event\": \""));
}

model::Job read_ras_json(const Source& source) {
  return Report(source).read();
}

}  // namespace lockstep::readers
