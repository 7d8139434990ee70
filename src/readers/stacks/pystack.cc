#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/text_fields.h"
#include "readers/stacks/process_dump.h"
#include "readers/stacks/stacks.h"
#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kPystackThread = "Traceback for thread ";
constexpr std::string_view kPystackOrder = "] (most recent call last):";
constexpr std::string_view kCore = "Core file information:";
constexpr std::string_view kSegmentationFault = "The process died due a segmentation fault";
constexpr std::string_view kSignal = "The process died due receiving signal ";

std::string without_colours(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const std::size_t escape = line.find("\x1b[");
    plain += line.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const std::size_t end = line.find('m', escape);
    line = end == std::string_view::npos ? std::string_view{} : line.substr(end + 1);
  }
  return plain;
}

std::optional<int> signal_named(std::string_view name) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* abbreviation = ::sigabbrev_np(signal);
    if (abbreviation != nullptr && name.starts_with("SIG") && name.substr(3) == abbreviation) return signal;
  }
  return std::nullopt;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

class PystackParser {
 public:
  static bool begins(std::string_view line) {
    const std::string_view text = without_indent(line);
    return (text.starts_with(kPystackThread) && text.ends_with(kPystackOrder)) ||
           line.find(kCore) != std::string_view::npos;
  }

  void take(std::string_view line, std::uint32_t number) {
    if (line.find('\x1b') == std::string_view::npos) {
      take_plain(without_indent(line), number);
    } else {
      const std::string plain = without_colours(line);
      take_plain(without_indent(plain), number);
    }
  }

  std::vector<ProcessDump> finish() {
    end_process();
    return std::move(dumps_);
  }

 private:
  void take_plain(std::string_view line, std::uint32_t number) {
    if (line.starts_with(kPystackThread) && line.ends_with(kPystackOrder)) {
      begin_thread(line, number);
    } else if (line == kCore) {
      end_process();
    } else if (line.starts_with("pid: ")) {
      dump_.pid = base::number_in<std::int64_t>(first_word(line.substr(5)));
    } else if (line.starts_with(kSegmentationFault)) {
      dump_.signal = SIGSEGV;
    } else if (line.starts_with(kSignal)) {
      dump_.signal = signal_named(first_word(line.substr(kSignal.size())));
    } else if (is_in_thread_) {
      take_frame(line);
    }
  }

  // `Traceback for thread 10621 (python) [Has the GIL] (most recent call last):`
  void begin_thread(std::string_view line, std::uint32_t number) {
    end_thread();
    line.remove_prefix(kPystackThread.size());
    line.remove_suffix(kPystackOrder.size());
    const std::size_t status = line.rfind('[');
    if (status == std::string_view::npos) return;
    thread_.position = number;
    thread_.holds_lock = line.substr(status).find("Has the GIL") != std::string_view::npos;
    thread_.number = take_number<std::int64_t>(line);
    const std::size_t open = line.find('(');
    const std::size_t close = line.rfind(')');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
      thread_.name = line.substr(open + 1, close - open - 1);
    }
    is_in_thread_ = true;
  }

  void take_frame(std::string_view line) {
    if (line.starts_with("(Python) ")) {
      auto frame = parse_python_frame(line.substr(9));
      if (!frame) return;
      if (outermost_python_.empty()) outermost_python_ = frame->function;
      thread_.frames.push_back(std::move(*frame));
    } else if (line.starts_with("(C) ")) {
      auto frame = parse_python_frame(line.substr(4));
      if (!frame) return;
      if (const std::size_t library = frame->function.rfind(" ("); library != std::string::npos) {
        frame->function.resize(library);
      }
      thread_.frames.push_back(std::move(*frame));
    }
  }

  // New threads are put at the head of the interpreter's list, so the main thread is the last of those that
  // run Python: after it, another process begins.
  void end_thread() {
    if (!is_in_thread_) return;
    is_in_thread_ = false;
    const bool runs_python = !outermost_python_.empty();
    if (runs_python && has_main_) end_process();
    thread_.is_main = runs_python && outermost_python_ != "_bootstrap";
    std::ranges::reverse(thread_.frames);
    if (thread_.is_main) {
      has_main_ = true;
      if (!dump_.pid) dump_.pid = thread_.number;
    }
    dump_.threads.push_back(std::move(thread_));
    thread_ = {};
    outermost_python_.clear();
  }

  void end_process() {
    end_thread();
    if (!dump_.threads.empty()) dumps_.push_back(std::move(dump_));
    dump_ = {};
    has_main_ = false;
  }

  std::vector<ProcessDump> dumps_;
  ProcessDump dump_;
  ThreadDump thread_;
  std::string outermost_python_;
  bool has_main_ = false;
  bool is_in_thread_ = false;
};

}  // namespace

bool recognises_pystack(const Source& source) {
  constexpr std::size_t kLongestHead = 512;
  for (std::size_t at = source.first(LogMark::kPystack); at != std::string_view::npos;
       at = source.bytes.find(kPystackThread, at + 1)) {
    const std::string_view line = source.bytes.substr(at, kLongestHead);
    if (line.substr(0, line.find('\n')).find(kPystackOrder) != std::string_view::npos) return true;
  }
  return false;
}

model::Job read_pystack(const Source& source) {
  return read_dump_text<PystackParser>(source);
}

}  // namespace lockstep::readers
