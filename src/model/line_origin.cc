#include "model/line_origin.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text_fields.h"

namespace lockstep::model {
namespace {

constexpr std::size_t kLongestPrefix = 96;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

std::optional<int> rank_number(std::string_view digits) {
  constexpr std::size_t kMaxDigits = 6;
  if (digits.empty() || digits.size() > kMaxDigits || !std::ranges::all_of(digits, is_digit))
    return std::nullopt;
  return base::number_in<int>(digits);
}

std::string_view final_digits(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool is_role(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || c == '_' || c == '-'; });
}

// A name of a machine, as far as its form tells: lower case, with a digit, no blanks.
bool is_host(std::string_view text) {
  const auto fits = [](char c) {
    return is_digit(c) || (is_letter(c) && std::islower(static_cast<unsigned char>(c)) != 0) || c == '-' ||
           c == '.' || c == '_';
  };
  constexpr std::size_t kLongestName = 63;
  return text.size() >= 2 && text.size() <= kLongestName && std::ranges::all_of(text, fits) &&
         std::ranges::any_of(text, is_digit) && (is_letter(text.front()) || text.find('.') != text.npos) &&
         text.back() != '.';
}

bool set_host(OwnedLine& line, std::string_view host) {
  if (line.origin.host.empty()) line.origin.host = host;
  return true;
}

bool continue_after(OwnedLine& line, std::string_view rest, bool drops_blank = true) {
  if (drops_blank && rest.starts_with(' ')) rest.remove_prefix(1);
  line.text = rest;
  return true;
}

// "[rank3]: " and "[default3]:"; "[worker-2]: " and the like name the task.
bool take_named_number(OwnedLine& line, std::string_view inside, std::string_view after) {
  if (!after.starts_with(':')) return false;
  const std::string_view digits = final_digits(inside);
  const std::string_view word = inside.substr(0, inside.size() - digits.size());
  const std::optional<int> number = rank_number(digits);
  if (!number || !is_role(word)) return false;
  after.remove_prefix(1);
  const bool is_task = word == "worker-" || word == "chief-" || word == "ps-";
  if (word != "rank" && !is_task) {
    line.origin.local_rank = number;
    return continue_after(line, after, false);
  }
  line.origin.rank = number;
  return continue_after(line, after);
}

// "[rank=1]", "[rank: 1]", "[RANK 1]", "[Rank 1]"
bool take_spelt_rank(OwnedLine& line, std::string_view inside, std::string_view after) {
  constexpr std::array<std::string_view, 6> kNames = {"rank=", "rank: ", "rank:", "RANK ", "Rank ", "rank "};
  for (const std::string_view name : kNames) {
    if (!inside.starts_with(name)) continue;
    const std::optional<int> number = rank_number(inside.substr(name.size()));
    if (!number) return false;
    line.origin.rank = number;
    if (after.starts_with(':')) after.remove_prefix(1);
    return continue_after(line, after);
  }
  return false;
}

// "[rank1]" without a colon after it: at the start of a line alone, as text may speak of "[rank1]".
bool take_joined_rank(OwnedLine& line, std::string_view inside, std::string_view after) {
  if (!inside.starts_with("rank") && !inside.starts_with("Rank")) return false;
  const std::optional<int> number = rank_number(inside.substr(4));
  if (!number) return false;
  line.origin.rank = number;
  return continue_after(line, after);
}

// "[1,3]<stderr>:", "[prterun-a-1@1,3]<stdout>:" and "[3]<stdout>:"
bool take_stream_tag(OwnedLine& line, std::string_view inside, std::string_view after) {
  const bool is_tag = after.starts_with("<stdout>:") || after.starts_with("<stderr>:");
  if (!is_tag) return false;
  const std::optional<int> number = rank_number(inside.substr(inside.rfind(',') + 1));
  if (!number) return false;
  line.origin.rank = number;
  return continue_after(line, after.substr(std::string_view("<stdout>:").size()), false);
}

// "[pod/job-worker-4/main] ": the pod's number is the rank, as operators name replicas.
bool take_pod(OwnedLine& line, std::string_view inside, std::string_view after) {
  if (!inside.starts_with("pod/")) return false;
  const std::string_view pod = base::word_of(inside.substr(4), '/');
  set_host(line, pod);
  const std::string_view digits = final_digits(pod);
  if (digits.size() < pod.size() && pod[pod.size() - digits.size() - 1] == '-')
    line.origin.rank = rank_number(digits);
  return continue_after(line, after);
}

// "[node1:77] "
bool take_mpi_process(OwnedLine& line, std::string_view inside, std::string_view after) {
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos || !rank_number(inside.substr(colon + 1)).has_value()) return false;
  if (!after.starts_with(' ') || !is_host(inside.substr(0, colon))) return false;
  set_host(line, inside.substr(0, colon));
  return continue_after(line, after);
}

bool take_bracket(OwnedLine& line) {
  if (!line.text.starts_with('[')) return false;
  const std::size_t end = line.text.substr(0, kLongestPrefix).find(']');
  if (end == std::string_view::npos) return false;
  const std::string_view inside = line.text.substr(1, end - 1);
  const std::string_view after = line.text.substr(end + 1);
  return take_named_number(line, inside, after) || take_stream_tag(line, inside, after) ||
         take_spelt_rank(line, inside, after) || take_joined_rank(line, inside, after) ||
         take_pod(line, inside, after) || take_mpi_process(line, inside, after);
}

// "3: " and, padded to the width of the largest task, " 3: "
bool take_task(OwnedLine& line) {
  std::string_view rest = line.text;
  while (rest.starts_with(' ') && line.text.size() - rest.size() < 6) rest.remove_prefix(1);
  const std::size_t colon = rest.substr(0, 8).find(": ");
  const std::optional<int> task = colon == rest.npos ? std::nullopt : rank_number(rest.substr(0, colon));
  if (!task) return false;
  line.origin.rank = task;
  return continue_after(line, rest.substr(colon + 2), false);
}

constexpr std::string_view kSrunError = "srun: error: ";

// "srun: error: node7: task 3: "
bool take_srun_error(OwnedLine& line) {
  if (!line.text.starts_with(kSrunError)) return false;
  const std::string_view rest = line.text.substr(kSrunError.size());
  const std::string_view host = base::word_of(rest, ':');
  std::string_view task = rest.substr(host.size());
  if (!is_host(host) || !task.starts_with(": task ")) return false;
  task.remove_prefix(7);
  const std::string_view number = base::word_of(task, ':');
  if (!rank_number(number)) return false;
  set_host(line, host);
  line.origin.rank = rank_number(number);
  return continue_after(line, task.substr(std::min(task.size(), number.size() + 1)));
}

// "(RayTrainWorker pid=7, ip=10.0.0.9) "
bool take_ray(OwnedLine& line) {
  const std::size_t end = line.text.substr(0, kLongestPrefix).find(") ");
  if (!line.text.starts_with('(') || end == std::string_view::npos) return false;
  const std::string_view inside = line.text.substr(1, end - 1);
  if (inside.find("pid=") == std::string_view::npos) return false;
  const std::string_view ip = base::word_after(inside, "ip=", ',');
  if (!ip.empty()) set_host(line, ip);
  return continue_after(line, line.text.substr(end + 1));
}

// "node1:77:140 [3] NCCL " stays in the text: readers of NCCL's lines want it.
bool see_nccl(OwnedLine& line) {
  const std::string_view host = base::word_of(line.text.substr(0, kLongestPrefix), ':');
  if (host.empty() || host.size() >= kLongestPrefix || host.find(' ') != host.npos) return false;
  std::string_view rest = line.text.substr(std::min(line.text.size(), host.size() + 1));
  const std::string_view pid = base::word_of(rest, ':');
  if (!base::number_in<int>(pid)) return false;
  rest.remove_prefix(std::min(rest.size(), pid.size() + 1));
  const std::string_view thread = base::word_of(rest, ' ');
  if (!base::number_in<int>(thread) || rest.substr(0, kLongestPrefix).find("NCCL") == rest.npos) return false;
  set_host(line, host);
  return false;
}

// "node-1: " and "worker-4  | "
bool take_host(OwnedLine& line) {
  const std::string_view host = base::word_of(line.text.substr(0, kLongestPrefix), ": |");
  if (!is_host(host)) return false;
  std::string_view rest = line.text.substr(host.size());
  if (rest.starts_with(": ")) {
    set_host(line, host);
    return continue_after(line, rest.substr(1));
  }
  const std::size_t bar = rest.find_first_not_of(' ');
  if (bar == std::string_view::npos || bar == 0 || rest[bar] != '|') return false;
  set_host(line, host);
  return continue_after(line, rest.substr(bar + 1));
}

bool take_line_time(OwnedLine& line) {
  std::string_view rest = line.text;
  const auto time = take_time(rest);
  if (!time) return false;
  if (!line.time_ns) line.time_ns = time;
  line.text = rest;
  return true;
}

// Loggers and collectors of logs put words of their own before the tag of a launcher or of PyTorch, which
// cannot be anything else: "Nov 18 09:12:02 gpu-3 python[7]: [rank3]: text".
bool take_tag_further_on(OwnedLine& line) {
  const std::string_view head = line.text.substr(0, 2 * kLongestPrefix);
  for (std::size_t open = head.find('['); open != std::string_view::npos; open = head.find('[', open + 1)) {
    const std::size_t end = head.find(']', open);
    if (end == std::string_view::npos) break;
    const std::string_view inside = head.substr(open + 1, end - open - 1);
    const std::string_view after = line.text.substr(end + 1);
    const bool is_tag = inside.starts_with("rank") || inside.starts_with("default");
    if ((is_tag && take_named_number(line, inside, after)) || take_stream_tag(line, inside, after))
      return true;
  }
  const std::size_t srun = head.find(kSrunError);
  OwnedLine told{.origin = {}, .time_ns = {}, .text = line.text.substr(std::min(srun, line.text.size()))};
  if (!take_srun_error(told)) return false;
  set_host(line, told.origin.host);
  line.origin.rank = told.origin.rank;
  line.text = told.text;
  return true;
}

// Loggers put severity and place before the rank: "[INFO] [logging.py:96:log_dist] [Rank 0] ",
// "1d0cefc1 [rank=1] || ".
void see_rank_further_on(OwnedLine& line) {
  if (line.origin.rank || line.text.find("ProcessGroup") != std::string_view::npos ||
      line.text.find("WorkNCCL") != std::string_view::npos ||
      line.text.find("Watchdog") != std::string_view::npos)
    return;
  std::string_view rest = line.text.substr(0, 2 * kLongestPrefix);
  for (std::size_t open = rest.find('['); open != std::string_view::npos; open = rest.find('[')) {
    rest.remove_prefix(open + 1);
    OwnedLine found{.origin = {}, .time_ns = {}, .text = {}};
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return;
    if (take_spelt_rank(found, rest.substr(0, end), rest.substr(end + 1))) {
      line.origin.rank = found.origin.rank;
      return;
    }
  }
}

}  // namespace

OwnedLine split_origin(std::string_view line) {
  constexpr int kMaxPrefixes = 5;
  OwnedLine owned{.origin = {}, .time_ns = {}, .text = line};
  for (int i = 0; i < kMaxPrefixes; ++i) {
    const bool taken = take_line_time(owned) || take_bracket(owned) || (i == 0 && take_task(owned)) ||
                       (i == 0 && take_srun_error(owned)) || take_ray(owned) || see_nccl(owned) ||
                       (i < 2 && take_host(owned));
    const bool is_told = owned.origin.rank || owned.origin.local_rank;
    if (!taken && (is_told || !take_tag_further_on(owned))) break;
  }
  see_rank_further_on(owned);
  return owned;
}

}  // namespace lockstep::model
