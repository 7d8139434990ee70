#include <algorithm>
#include <string_view>
#include <utility>

#include "base/lines.h"
#include "base/text_fields.h"
#include "readers/stacks/process_dump.h"
#include "readers/stacks/stacks.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kNativeStacksHead = "lockstep_native_stacks 1 pid ";

// `Thread 1 (Thread 0x7f72f2fa4740 (LWP 22688) "train"):` of gdb
std::optional<ThreadDump> parse_gdb_thread(std::string_view line) {
  if (!line.starts_with("Thread ") || !line.ends_with("):")) return std::nullopt;
  ThreadDump thread;
  thread.number = base::number_in<std::int64_t>(base::word_after(line, "(LWP ", ')'));
  thread.name = base::word_after(line, " \"", '"');
  return thread.number ? std::optional(std::move(thread)) : std::nullopt;
}

// `TID 22688:` of eu-stack
std::optional<ThreadDump> parse_eu_thread(std::string_view line) {
  if (!line.starts_with("TID ") || !line.ends_with(':')) return std::nullopt;
  ThreadDump thread;
  thread.number = base::number_in<std::int64_t>(line.substr(4, line.size() - 5));
  return thread.number ? std::optional(std::move(thread)) : std::nullopt;
}

// `/job/train.c:5`, and `/job/train.c:5:50` with a column
void set_place(std::string_view place, model::Frame& frame) {
  const std::size_t last = place.rfind(':');
  if (last == std::string_view::npos) return;
  const auto number = base::number_in<int>(place.substr(last + 1));
  const std::string_view before = place.substr(0, last);
  const std::size_t colon = before.rfind(':');
  const auto line =
      colon == std::string_view::npos ? std::nullopt : base::number_in<int>(before.substr(colon + 1));
  frame.line = line.value_or(number.value_or(0));
  frame.file = line ? before.substr(0, colon) : before;
}

// `#1  0x000055f8c761e190 in load_batch (n=1) at /job/train.c:5`; gdb leaves the address out where a line
// begins, and eu-stack leaves out everything but the name.
std::optional<model::Frame> parse_native_frame(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  std::string_view rest = base::trimmed(line.substr(std::min(line.find(' '), line.size())));
  if (rest.starts_with("0x")) rest = base::trimmed(rest.substr(base::word_of(rest).size()));
  if (rest.starts_with("in ")) rest.remove_prefix(3);
  model::Frame frame;
  frame.function = base::word_of(rest);
  if (const std::size_t at = rest.rfind(") at "); at != std::string_view::npos)
    set_place(rest.substr(at + 5), frame);
  if (const std::size_t at = rest.rfind(") from "); at != std::string_view::npos)
    frame.file = rest.substr(at + 7);
  return frame.function.empty() ? std::nullopt : std::optional(std::move(frame));
}

bool is_of_python(const ThreadDump& thread) {
  return std::ranges::any_of(thread.frames, [](const model::Frame& frame) {
    return frame.function.find("PyEval_EvalFrame") != std::string::npos ||
           frame.file.find("libpython") != std::string::npos;
  });
}

class NativeStackParser {
 public:
  explicit NativeStackParser(std::int64_t pid) { dump_.pid = pid; }

  void take(std::string_view line, std::uint32_t number) {
    auto thread = parse_gdb_thread(line);
    if (!thread) thread = parse_eu_thread(line);
    if (thread) {
      thread->position = number;
      dump_.threads.push_back(*std::move(thread));
    } else if (auto frame = parse_native_frame(line); frame && !dump_.threads.empty()) {
      dump_.threads.back().frames.push_back(*std::move(frame));
    } else if (line.starts_with("    ") && !dump_.threads.empty() && !dump_.threads.back().frames.empty()) {
      set_place(base::trimmed(line), dump_.threads.back().frames.back());
    }
  }

  // Where a Python program stands, its Python stack tells; the frames of the interpreter below it do not.
  ProcessDump finish() && {
    for (ThreadDump& thread : dump_.threads)
      thread.is_main = thread.number == dump_.pid && !is_of_python(thread);
    return std::move(dump_);
  }

 private:
  ProcessDump dump_;
};

}  // namespace

bool recognises_native_stacks(const Source& source) {
  return source.bytes.starts_with(kNativeStacksHead);
}

model::Job read_native_stacks(const Source& source) {
  NativeStackParser parser(base::number_after<std::int64_t>(source.bytes, kNativeStacksHead).value_or(0));
  base::Lines lines(source.bytes);
  lines.next();
  while (const auto line = lines.next()) parser.take(*line, lines.number());
  ProcessDump dump = std::move(parser).finish();
  std::vector<ProcessDump> dumps;
  if (!dump.threads.empty()) dumps.push_back(std::move(dump));
  return job_of_dumps(source, std::move(dumps));
}

}  // namespace lockstep::readers
