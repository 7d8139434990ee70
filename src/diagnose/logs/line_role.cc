#include "diagnose/logs/line_role.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "base/text_search/regex.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

using base::Regex;

// So many lines of a kind make a block; fewer are chance.
constexpr std::size_t kMinBlock = 3;

std::size_t indentation_of(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t size>
bool contains_any(std::string_view text, const std::array<std::string_view, size>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

// Where a rank's traceback stands, line by line.
struct Traceback {
  bool is_open = false;
  bool is_teardown = false;  // of what a process that ends does on its way out
  std::size_t frame_indentation = 0;
  bool source_may_follow = false;
};

bool is_frame(std::string_view text) {
  return text.starts_with("File \"") && contains(text, "\", line ");
}

bool is_exception(std::string_view text) {
  static const Regex named = Regex::of_our_own(
      R"(^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure|NotFound|Timeout|OutOfMemory)\w*(?::|\s*$))");
  return named.found_in(text) && !contains(text.substr(0, 60), "Warning:");
}

bool may_end_traceback(std::string_view text) {
  static const Regex any = Regex::of_our_own(R"(^[A-Za-z_][\w.]*(?:: |:?\s*$))");
  return any.found_in(text);
}

// Python's word before the traceback of a callback that failed after the program was done.
bool announces_teardown(std::string_view text) {
  return text.starts_with("Exception ignored in") || text.starts_with("Error in atexit._run_exitfuncs") ||
         text.starts_with("Error in sys.excepthook");
}

bool is_marker(std::string_view text) {
  return !text.empty() && text.find_first_not_of(" ^~") == std::string_view::npos;
}

// "Training finished with errors", and not "Training completed. Error rate: 0.02, 0 failed samples".
bool takes_it_back(std::string_view text) {
  static const Regex ill =
      Regex::of_our_own(R"(\b(?:not|fail\w*|errors?|abnormal\w*|before|until|when|if|once)\b)");
  static const Regex counted =
      Regex::of_our_own(R"(\b(?:0|no|zero|without) (?:\w+ )?(?:fail\w*|errors?)\b|\berror rates?\b)");
  for (auto word = ill.find(text, 0); word; word = ill.find(text, word->whole.end)) {
    bool is_harmless = false;
    for (auto one = counted.find(text, 0); one && !is_harmless; one = counted.find(text, one->whole.end))
      is_harmless = one->whole.begin <= word->whole.begin && word->whole.end <= one->whole.end;
    if (!is_harmless) return true;
  }
  return false;
}

// What a launcher tells of its work while nothing is wrong: which processes it starts, with which settings.
bool is_launchers_progress(std::string_view text) {
  static const Regex starts = Regex::of_our_own(
      R"(^(?:\[[^\]]*\] *)*\[INFO\] *\[launch\.py|^LAUNCH INFO|^\S*(?:mpiexec|mpirun|prterun) +-)");
  static const Regex ends = Regex::of_our_own(R"(killing|exit|fail|error|signal|terminat|abort|\bdied\b)");
  return starts.found_in(text) && !ends.found_in(text);
}

bool is_launcher(std::string_view text) {
  constexpr std::array<std::string_view, 33> kWords = {"ChildFailedError",
                                                       "Root Cause (first observed failure)",
                                                       "exitcode  :",
                                                       "error_file:",
                                                       "traceback : ",
                                                       "(exitcode",
                                                       "(exitcode:",
                                                       "closing signal SIG",
                                                       "srun: error",
                                                       "srun: Job step",
                                                       "srun: Terminating",
                                                       "slurmstepd:",
                                                       "Primary job  terminated",
                                                       "mpirun noticed",
                                                       "mpirun detected",
                                                       "mpiexec",
                                                       "prterun",
                                                       "exited on signal",
                                                       "died from signal",
                                                       "exit code:",
                                                       "exited with exit code",
                                                       "exited with non-zero",
                                                       "died with <Signals",
                                                       "non-zero exit status",
                                                       "has failed with",
                                                       "CANCELLED AT",
                                                       "DUE TO TIME LIMIT",
                                                       "oom-kill event",
                                                       "LAUNCH INFO",
                                                       "Process terminated with",
                                                       "ProcessRaisedException",
                                                       "Killing subprocess",
                                                       "[launch.py"};
  return contains_any(text, kWords);
}

bool is_kernel(std::string_view text) {
  static const Regex stamped =
      Regex::of_our_own(R"(^(?:\w{3} [ \d]\d [\d:]{8} \S+ kernel: ?)?\[ *\d+\.\d{4,}\] )");
  constexpr std::array<std::string_view, 5> kWords = {"NVRM: ", " kernel: ", "Out of memory: Killed process",
                                                      "segfault at ", "Kernel panic"};
  return stamped.found_in(text) || contains_any(text, kWords);
}

bool is_teardown(std::string_view text) {
  constexpr std::array<std::string_view, 13> kWords = {"Abort COMPLETE",
                                                       "Destroy COMPLETE",
                                                       "Connection closed by localRank",
                                                       "Connection closed by remote peer",
                                                       "Exception ignored in",
                                                       "resource_tracker",
                                                       "leaked semaphore",
                                                       "leaked shared_memory",
                                                       "destroy_process_group",
                                                       "in atexit",
                                                       "atexit._run_exitfuncs",
                                                       "wandb: ",
                                                       "Exiting gracefully"};
  return contains_any(text, kWords);
}

bool is_library_info(std::string_view text) {
  static const Regex info = Regex::of_our_own(
      R"(\bNCCL (?:INFO|TRACE|VERSION)\b|\bRCCL INFO\b|\bUCX +(?:INFO|DEBUG|TRACE)\b|\bbtl:|\bmca:|\bI_MPI_|\[MPI startup)");
  return info.found_in(text);
}

// What Python itself prints under -X importtime and -v: names of modules and files, some thousand lines of
// them.
bool is_interpreter_trace(std::string_view text) {
  static const Regex trace = Regex::of_our_own(
      R"(^import time: +(?:\d+ \| +\d+ \| |self \[us\])|^import '[\w.]+' # |^# (?:code object from|trying|cleanup\[\d\]|destroy|\S+ matches|wrote) )");
  return trace.found_in(text);
}

// "[W socket.cpp:426] ", "[E1018 12:00:00.123 ProcessGroupNCCL.cpp:607] ": PyTorch's own records.
LineRole by_c10_level(std::string_view text) {
  static const Regex record =
      Regex::of_our_own(R"(^\[(?P<level>[EFWID])(?:\d{3,4} \S+)? \w+\.(?:cpp|cc|cu|h|hpp):\d+\])");
  const auto found = record.capture(text);
  if (!found) return LineRole::kOther;
  switch (found->at("level").front()) {
    case 'W':
      return LineRole::kLogWarning;
    case 'E':
    case 'F':
      return LineRole::kLogError;
    default:
      return LineRole::kLogInfo;
  }
}

LineRole by_level(std::string_view text) {
  if (const LineRole role = by_c10_level(text); role != LineRole::kOther) return role;
  static const Regex error = Regex::of_our_own(
      R"(^[EF]\d{4} [\d:.]+ |: [EF] \w+/\S+\.cc:|\b(?-i:ERROR|CRITICAL|FATAL|SEVERE)\b|^(?:error|fatal)\b ?:|\[(?:error|fatal)\]|\blevel=(?:error|fatal))");
  static const Regex warning = Regex::of_our_own(
      R"(^W\d{4} \d|: W \w+/\S+\.cc:|\b(?-i:WARN|WARNING)\b|^warning:|\[(?:warn|warning)\]|\b\w+Warning:|NCCL WARN|\blevel=warn)");
  static const Regex info = Regex::of_our_own(
      R"(^[ID]\d{4} \d|: I \w+/\S+\.cc:|\b(?-i:INFO|DEBUG|NOTICE)\b|^info:|\[(?:info|debug)\]|\blevel=(?:info|debug))");
  constexpr std::size_t kHead = 140;
  const std::string_view head = text.substr(0, kHead);
  if (warning.found_in(head)) return LineRole::kLogWarning;
  if (error.found_in(head)) return LineRole::kLogError;
  if (info.found_in(head)) return LineRole::kLogInfo;
  return LineRole::kOther;
}

bool is_help(std::string_view text) {
  static const Regex help = Regex::of_our_own(
      R"(^usage:|^\s*-{1,2}[a-z][\w-]*(?:[ ,=]|$)|^\s*(?:tip|hint|note|💡)\b ?:|\btip of the day\b|^\s*\d\. (?:try|check|make sure|set)\b)"
      R"(|^(?:to fix this|you can (?:also )?|please (?:refer|see|note|check)|for more (?:information|details)|see https?:|visit https?:))");
  return help.found_in(text);
}

bool is_banner(std::string_view text) {
  constexpr std::size_t kMinLetters = 3;
  const auto letters =
      std::ranges::count_if(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return text.size() >= kMinLetters && letters == 0;
}

bool is_table(std::string_view text) {
  return std::ranges::count(text, '|') >= 2 && text.find("%|") == std::string_view::npos;
}

// What alone proves little and in a block much.
bool may_be_setting(std::string_view text) {
  static const Regex setting = Regex::of_our_own(
      R"(^\s*(?:export )?[-"']{0,2}[\w./\-\[\]]+["']?\s*(?:\.{2,}|:|=)\s*\S.{0,160}$|^\s*["']?[\w.\- ]{1,40}["']?: ?[{\[]?\s*$|^\s*[{}\[\]()]+,?\s*$|^\s*["'][\w.]+["'],?\s*$)");
  return setting.found_in(text);
}

bool may_be_source(std::string_view text) {
  static const Regex source = Regex::of_our_own(
      R"(^\s*(?:def |class |import |from \w[\w.]* import |raise\b|return\b|if .*:$|elif .*:$|else:$|for .* in .*:$|while .*:$|try:$|except\b.*:$|with .*:$|assert |@\w|# |\+ |- )|)"
      R"(^\s{2,}[\w.\[\]]+(?:, [\w.]+)* [+*/-]?= \S|^\s{2,}[\w.]+\(.*\)?$)");
  return source.found_in(text);
}

class Reader {
 public:
  LineRole role_of(std::string_view line) {
    const model::OwnedLine owned = model::split_origin(line);
    Traceback& traceback = open_[owned.origin.rank.value_or(-1) * 64 + owned.origin.local_rank.value_or(-1)];
    const std::size_t indentation = indentation_of(owned.text);
    const std::string_view text = owned.text.substr(indentation);
    if (text.empty()) return LineRole::kBanner;
    if (const LineRole role = in_traceback(traceback, text, indentation); role != LineRole::kOther)
      return role;
    return by_itself(text, owned.text, line);
  }

 private:
  static LineRole in_traceback(Traceback& traceback, std::string_view text, std::size_t indentation) {
    if (contains(text, "Traceback (most recent call last)")) {
      traceback = {true, traceback.is_teardown, indentation, false};
      return LineRole::kFrame;
    }
    if (!traceback.is_open) traceback.is_teardown = announces_teardown(text);
    if (text.starts_with("During handling of the above exception") ||
        text.starts_with("The above exception was the direct cause"))
      return LineRole::kRaisedFrom;
    if (is_frame(text)) {
      traceback = {true, traceback.is_teardown, indentation, true};
      return LineRole::kFrame;
    }
    if (!traceback.is_open) return LineRole::kOther;
    if (traceback.source_may_follow && (indentation > traceback.frame_indentation || is_marker(text)))
      return LineRole::kQuotedSource;
    if (text.starts_with("[Previous line repeated")) return LineRole::kFrame;
    if (indentation <= traceback.frame_indentation && may_end_traceback(text)) {
      const bool is_teardown = std::exchange(traceback, {}).is_teardown;
      return is_teardown ? LineRole::kTearDown : LineRole::kException;
    }
    return LineRole::kOther;
  }

  // `whole`: with what stands before the text, where some loggers write the level.
  static LineRole by_itself(std::string_view text, std::string_view indented, std::string_view whole) {
    if (is_banner(text)) return LineRole::kBanner;
    if (is_library_info(text) || is_interpreter_trace(text)) return LineRole::kLibraryInfo;
    if (is_exception(text)) return LineRole::kException;
    if (is_kernel(text)) return LineRole::kKernel;
    if (is_teardown(text)) return LineRole::kTearDown;
    if (says_it_ended_well(text)) return LineRole::kEndedWell;
    if (is_launchers_progress(text)) return LineRole::kLogInfo;
    if (is_launcher(text)) return LineRole::kLauncher;
    const LineRole plain = by_level(text);
    const LineRole logged = plain == LineRole::kOther ? by_level(whole) : plain;
    if (logged == LineRole::kLogError || logged == LineRole::kLogWarning) return logged;
    if (is_progress(text)) return LineRole::kProgress;
    if (is_help(indented)) return LineRole::kHelp;
    if (is_table(text)) return LineRole::kTable;
    return logged;
  }

  std::map<int, Traceback> open_;  // by speaker
};

bool is_open_to_blocks(LineRole role) {
  return role == LineRole::kOther || role == LineRole::kProgress || role == LineRole::kHelp ||
         role == LineRole::kBanner;
}

// Blocks of lines that look alike: one of them proves little, several together what they are. Where most of
// them report steps, what looks like "loss: 0.3" is no setting.
template <typename LooksLike>
void mark_blocks(std::span<const std::string_view> lines, LineRole role, const LooksLike& looks_like,
                 std::vector<LineRole>& roles) {
  std::size_t begin = 0;
  std::size_t like = 0;
  std::size_t moving = 0;
  const auto close = [&](std::size_t end) {
    if (like >= kMinBlock && 2 * moving <= like)
      std::fill(roles.begin() + static_cast<std::ptrdiff_t>(begin),
                roles.begin() + static_cast<std::ptrdiff_t>(end), role);
    begin = end + 1;
    like = 0;
    moving = 0;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_open_to_blocks(roles[i]) && looks_like(model::split_origin(lines[i]).text)) {
      ++like;
      if (roles[i] == LineRole::kProgress) ++moving;
    } else {
      close(i);
    }
  }
  close(lines.size());
}

}  // namespace

std::string_view word_for(LineRole role) {
  constexpr std::array<std::string_view, kLineRoles> kWords = {
      "other",    "exception", "frame",    "quoted source", "raised from",    "log error", "warning",
      "log info", "launcher",  "progress", "setting",       "source listing", "help",      "library info",
      "kernel",   "teardown",  "table",    "banner",        "ended well"};
  return kWords[static_cast<std::size_t>(role)];
}

bool tells_of_events(LineRole role) {
  switch (role) {
    case LineRole::kOther:
    case LineRole::kException:
    case LineRole::kLogError:
    case LineRole::kLogWarning:
    case LineRole::kLauncher:
    case LineRole::kKernel:
    case LineRole::kLogInfo:
    case LineRole::kTable:
      return true;
    default:
      return false;
  }
}

std::vector<LineRole> roles_of(std::span<const std::string_view> lines) {
  std::vector<LineRole> roles;
  roles.reserve(lines.size());
  Reader reader;
  for (const std::string_view line : lines) roles.push_back(reader.role_of(line));
  mark_blocks(lines, LineRole::kSourceListing, may_be_source, roles);
  mark_blocks(lines, LineRole::kSetting, may_be_setting, roles);
  return roles;
}

bool says_it_ended_well(std::string_view text) {
  static const Regex well = Regex::of_our_own(
      R"(\bexits successfully\b|\b(?:exited|finished|terminated|ended) (?:with )?(?:exit )?(?:code|status)[ :=]*0\b|\bterminated normally\b)"
      R"(|\bexit ?code *[:=]? *0\b|\bpod (?:completed|succeeded)\b|\b(?:all|agent|job|worker group|workers?) (?:\w+ )?(?:successfully finished|finished successfully|succeeded|has succeeded))"
      R"(|\b(?:training|finetuning|fine-tuning|run|job|program|experiment|evaluation) (?:is |has |was )?(?:completed?|finished|done|ended|over)\b)"
      R"(|\b(?:done|finished|completed) (?:with )?(?:training|finetuning|fine-tuning)\b|`(?:Trainer\.fit|max_epochs|max_steps)[^`]*` (?:stopped|reached))");
  return well.found_in(text) && !takes_it_back(text);
}

bool is_progress(std::string_view text) {
  static const Regex moves = Regex::of_our_own(
      R"(\d ?(?:it/s|s/it|examples/s|samples/s|img/s|tokens/s)|\d%\||\b\w*loss\w*\b['"]?[ :=(]+['"]?-?\d|)"
      R"(\bepoch\b['"]?[ :=#\[(]*\d|\b(?:step|iter|iteration|batch)\b['"]?[ :=#\[(]+\d|\b\d+/\d+ \[[\d:]+)"
      R"(|\b(?:acc|accuracy|top-?1|bleu|ppl|perplexity|map)\b['"]?[ :=(@]+\d)");
  return moves.found_in(text);
}

}  // namespace lockstep::logs
