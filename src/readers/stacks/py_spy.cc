#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/text_fields.h"
#include "readers/stacks/process_dump.h"
#include "readers/stacks/stacks.h"
#include "readers/take_number.h"

namespace lockstep::readers {

namespace {

struct ProcessHead {
  std::int64_t pid = 0;
  std::string_view command_line;
};

// `Process 10621: python train.py`, behind `word`
std::optional<ProcessHead> parse_process(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  const auto pid = take_number<std::int64_t>(line);
  if (!pid || *pid <= 0 || !line.starts_with(':')) return std::nullopt;
  return ProcessHead{.pid = *pid, .command_line = line.substr(1)};
}

// `Thread 10621 (active+gil): "MainThread"`, `Thread 0x7F12 (idle)`
std::optional<ThreadDump> parse_thread(std::string_view line) {
  constexpr std::string_view kThread = "Thread ";
  if (!line.starts_with(kThread)) return std::nullopt;
  line.remove_prefix(kThread.size());
  const std::size_t open = line.find(" (");
  const std::size_t close = line.find(')', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  const std::string_view status = line.substr(open + 2, close - open - 2);
  if (!status.starts_with("active") && !status.starts_with("idle")) return std::nullopt;
  ThreadDump thread;
  thread.number = base::number_in<std::int64_t>(line.substr(0, open));
  thread.holds_lock = status.find("gil") != std::string_view::npos;
  const std::string_view name = line.substr(close + 1);
  if (name.starts_with(": \"") && name.ends_with('"') && name.size() > 3) {
    thread.name = name.substr(3, name.size() - 4);
  }
  return thread;
}

// `train (train.py:14)`; native frames have a library instead, or a file without a line.
std::optional<model::Frame> parse_py_spy_frame(std::string_view text) {
  const std::size_t open = text.rfind(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  model::Frame frame;
  frame.function = text.substr(0, open);
  const std::string_view place = text.substr(open + 2, text.size() - open - 3);
  const std::size_t colon = place.rfind(':');
  const std::optional<int> line =
      colon == std::string_view::npos ? std::nullopt : base::number_in<int>(place.substr(colon + 1));
  frame.file = line ? place.substr(0, colon) : place;
  frame.line = line.value_or(0);
  return frame;
}

class PySpyParser {
 public:
  static bool begins(std::string_view line) { return parse_process(line, "Process ").has_value(); }

  void take(std::string_view line, std::uint32_t number) {
    if (const auto process = parse_process(line, "Process ")) {
      FamilyMember member;
      member.dump.pid = process->pid;
      member.dump.position = number;
      member.is_launcher = is_launcher_command(process->command_line);
      family_.push_back(std::move(member));
      is_in_thread_ = false;
    } else if (const auto parent = parse_process(line, "Parent Process ")) {
      if (!family_.back().parent) family_.back().parent = parent->pid;
    } else if (auto thread = parse_thread(line)) {
      thread->position = number;
      family_.back().dump.threads.push_back(std::move(*thread));
      is_in_thread_ = true;
    } else if (is_in_thread_ && line.starts_with("    ") && !line.starts_with("     ")) {
      if (auto frame = parse_py_spy_frame(line.substr(4))) {
        family_.back().dump.threads.back().frames.push_back(std::move(*frame));
      }
    } else if (!line.starts_with("     ")) {  // deeper: local variables
      is_in_thread_ = false;
    }
  }

  std::vector<ProcessDump> finish() {
    std::vector<ProcessDump> ranks = only_ranks(std::move(family_));
    for (ProcessDump& dump : ranks) {
      for (ThreadDump& thread : dump.threads) {
        thread.is_main = thread.name.empty() ? thread.number == dump.pid : thread.name == "MainThread";
      }
    }
    return ranks;
  }

 private:
  std::vector<FamilyMember> family_;
  bool is_in_thread_ = false;
};

}  // namespace

bool recognises_py_spy_text(const Source& source) {
  constexpr std::string_view kVersion = "Python v";
  constexpr std::size_t kLongestPrefix = 128;  // what a launcher puts before a line
  for (std::size_t at = source.first(LogMark::kPySpy); at != std::string_view::npos;
       at = source.bytes.find(kVersion, at + 1)) {
    const std::size_t from = at - std::min(at, kLongestPrefix);
    const std::size_t line_break = source.bytes.substr(from, at - from).rfind('\n');
    if (line_break == std::string_view::npos || from + line_break == 0) continue;
    const std::size_t end = from + line_break;
    const std::size_t before = source.bytes.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    if (PySpyParser::begins(model::split_origin(source.bytes.substr(begin, end - begin)).text)) return true;
  }
  return false;
}

model::Job read_py_spy_text(const Source& source) {
  return read_dump_text<PySpyParser>(source);
}

namespace {

model::Frame frame_of(base::FastJson frame) {
  constexpr std::int64_t kLargestLine = 1'000'000'000;
  model::Frame result;
  result.function = base::string_member(frame, "name").value_or("");
  result.file = base::string_member(frame, "filename").value_or("");
  const std::int64_t line = base::integer_member(frame, "line").value_or(0);
  result.line = line > 0 && line <= kLargestLine ? static_cast<int>(line) : 0;
  return result;
}

ThreadDump thread_of(base::FastJson thread) {
  ThreadDump result;
  result.name = base::string_member(thread, "thread_name").value_or("");
  result.number = base::integer_member(thread, "os_thread_id");
  result.holds_lock = base::bool_member(thread, "owns_gil").value_or(false);
  base::for_each_element(base::member(thread, "frames"),
                         [&](base::FastJson frame) { result.frames.push_back(frame_of(frame)); });
  return result;
}

FamilyMember process_of(base::FastJson thread) {
  FamilyMember member;
  member.dump.pid = base::integer_member(thread, "pid");
  if (const auto info = base::member(thread, "process_info")) {
    member.is_launcher = is_launcher_command(base::string_member(*info, "command_line").value_or(""));
    if (const auto parent = base::member(*info, "parent")) {
      member.parent = base::integer_member(*parent, "pid");
    }
  }
  return member;
}

}  // namespace

bool recognises_py_spy_json(const Source& source) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = source.bytes.substr(0, kHead);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && head[begin] == '[' &&
         head.find("\"os_thread_id\"") != std::string_view::npos &&
         head.find("\"owns_gil\"") != std::string_view::npos;
}

model::Job read_py_spy_json(const Source& source) {
  base::FastJsonParser parser;
  base::JsonObjects objects(source.bytes);
  std::vector<FamilyMember> family;
  std::map<std::optional<std::int64_t>, std::size_t> place_of;
  std::uint32_t position = 0;
  std::uint32_t unreadable = 0;
  while (const auto object = objects.next()) {
    ++position;
    const auto thread = parser.parse(*object);
    if (!thread) {
      ++unreadable;
      continue;
    }
    FamilyMember process = process_of(*thread);
    const auto [place, is_new] = place_of.try_emplace(process.dump.pid, family.size());
    if (is_new) family.push_back(std::move(process));
    ThreadDump dump = thread_of(*thread);
    dump.is_main =
        dump.name.empty() ? dump.number == family[place->second].dump.pid : dump.name == "MainThread";
    dump.position = position;
    family[place->second].dump.threads.push_back(std::move(dump));
  }
  model::Job job = job_of_dumps(source, only_ranks(std::move(family)));
  if (unreadable != 0) {
    job.limits.push_back(fmt::format("{}: {} threads could not be read", source.name, unreadable));
  }
  if (!objects.was_closed()) {
    job.limits.push_back(fmt::format("{}: cut after {} threads", source.name, position));
  }
  return job;
}

}  // namespace lockstep::readers
