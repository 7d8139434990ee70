#include <algorithm>
#include <array>
#include <csignal>
#include <set>

#include "readers/stacks/process_dump.h"
#include "readers/stacks/stacks.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kFaulthandlerOrder = " (most recent call first):";
constexpr std::string_view kFaulthandlerThread = "Thread 0x";
constexpr std::string_view kCurrent = "Current thread 0x";
constexpr std::string_view kOneStack = "Stack (most recent call first):";
constexpr std::string_view kFatal = "Fatal Python error: ";

bool is_thread_head(std::string_view line) {
  return line.ends_with(kFaulthandlerOrder) &&
         (line.starts_with(kFaulthandlerThread) || line.starts_with(kCurrent));
}

// The handler lets the signal end the process after it has printed.
std::optional<int> signal_of(std::string_view failure) {
  struct Named {
    std::string_view text;
    int signal;
  };
  constexpr std::array<Named, 5> kSignals = {{{"Segmentation fault", SIGSEGV},
                                              {"Aborted", SIGABRT},
                                              {"Bus error", SIGBUS},
                                              {"Illegal instruction", SIGILL},
                                              {"Floating-point exception", SIGFPE}}};
  for (const Named& named : kSignals) {
    if (failure.substr(kFatal.size()) == named.text) return named.signal;
  }
  return std::nullopt;
}

class FaulthandlerParser {
 public:
  static bool begins(std::string_view line) {
    return is_thread_head(line) || line == kOneStack || line.starts_with(kFatal);
  }

  void take(std::string_view line, std::uint32_t number) {
    if (is_thread_head(line)) {
      begin_thread(line, number);
    } else if (line == kOneStack) {
      if (!waits_for_threads()) begin_dump(number);
      add_thread(number);
    } else if (line.starts_with(kFatal)) {
      begin_dump(number);
      dumps_.back().failure = line;
      dumps_.back().signal = signal_of(line);
    } else if (line.empty()) {
      is_in_thread_ = false;
      had_blank_ = true;
    } else if (is_in_thread_ && line.starts_with("  ")) {
      if (auto frame = parse_python_frame(line.substr(2))) {
        dumps_.back().threads.back().frames.push_back(std::move(*frame));
      }
    } else {
      if (line == "..." && had_blank_) has_all_threads_ = false;
      is_in_thread_ = false;
      had_blank_ = false;
    }
  }

  std::vector<ProcessDump> finish() {
    end_dump();
    return std::move(dumps_);
  }

 private:
  bool waits_for_threads() const { return !dumps_.empty() && dumps_.back().threads.empty(); }

  // An empty line stands between the threads of one dump, and none between two dumps.
  void begin_thread(std::string_view line, std::uint32_t number) {
    const bool is_current = line.starts_with(kCurrent);
    line.remove_prefix(is_current ? kCurrent.size() : kFaulthandlerThread.size());
    line.remove_suffix(kFaulthandlerOrder.size());
    const std::string id(line.substr(0, line.find(' ')));
    const bool goes_on = !dumps_.empty() && had_blank_ && seen_.count(id) == 0;
    if (!waits_for_threads() && !goes_on) begin_dump(number);
    add_thread(number);
    seen_.insert(id);
    if (is_current) failed_thread_ = dumps_.back().threads.size() - 1;
    const std::size_t name = line.find(" [");  // since Python 3.14
    if (name != std::string_view::npos && line.ends_with(']')) {
      dumps_.back().threads.back().name = line.substr(name + 2, line.size() - name - 3);
    }
  }

  void add_thread(std::uint32_t number) {
    ThreadDump thread;
    thread.position = number;
    dumps_.back().threads.push_back(std::move(thread));
    is_in_thread_ = true;
    had_blank_ = false;
  }

  void begin_dump(std::uint32_t number) {
    end_dump();
    dumps_.emplace_back();
    dumps_.back().position = number;
  }

  // New threads are put at the head of the interpreter's list, so the main thread is the last, unless the
  // list was cut after a hundred.
  void end_dump() {
    if (!dumps_.empty() && !dumps_.back().threads.empty()) {
      ProcessDump& dump = dumps_.back();
      ThreadDump& last = dump.threads.back();
      last.is_main = has_all_threads_ && !last.frames.empty() && last.frames.back().function != "_bootstrap";
      if (!dump.failure.empty()) {
        dump.failed_stack = dump.threads[std::min(failed_thread_, dump.threads.size() - 1)].frames;
      }
    }
    seen_.clear();
    failed_thread_ = 0;
    has_all_threads_ = true;
    is_in_thread_ = false;
    had_blank_ = false;
  }

  std::vector<ProcessDump> dumps_;
  std::set<std::string> seen_;
  std::size_t failed_thread_ = 0;
  bool has_all_threads_ = true;
  bool is_in_thread_ = false;
  bool had_blank_ = false;
};

}  // namespace

bool recognises_faulthandler(const Source& source) {
  constexpr std::size_t kLongestHead = 512;  // of a line before the words that every head ends with
  for (std::size_t at = source.first(LogMark::kFaulthandler); at != std::string_view::npos;
       at = source.bytes.find(kFaulthandlerOrder, at + 1)) {
    const std::size_t from = at - std::min(at, kLongestHead);
    std::string_view line = source.bytes.substr(from, at + kFaulthandlerOrder.size() - from);
    line = line.substr(line.rfind('\n') + 1);
    const std::string_view text = model::split_origin(line).text;
    if (is_thread_head(text) || text == kOneStack) return true;
  }
  return false;
}

model::Job read_faulthandler(const Source& source) {
  return read_dump_text<FaulthandlerParser>(source);
}

}  // namespace lockstep::readers
