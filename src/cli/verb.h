// A verb of the command line as a table entry, and the table of all. Parser, help, man pages, completions and
// the check of the verb's page are all made from it, so a flag is written down once.
//
// Entries are constants: every view points to text that lives as long as the program.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::cli {

// The exit status of the process; the numbers are a contract with scripts. A verb that runs the user's job
// passes on the job's own status as ExitStatus{status}.
enum class ExitStatus : int { kNothingFound = 0, kFindings = 1, kCouldNotDoIt = 2 };

struct ExitMeaning {
  ExitStatus status;
  std::string_view meaning;
};

inline constexpr ExitMeaning kExitMeanings[] = {
    {ExitStatus::kNothingFound, "nothing wrong found"},
    {ExitStatus::kFindings, "findings"},
    {ExitStatus::kCouldNotDoIt, "could not do it"},
};

class Args;
class Terminal;

// What a shell offers where a value is typed.
enum class ValueKind { kText, kFile, kFolder, kVerb, kJob, kCode, kDemo };

struct Flag {
  std::string_view name = {};        // "out": typed as --out
  char short_name = '\0';            // 'o': typed as -o; '\0' when there is none
  std::string_view value_name = {};  // "FILE"; empty for a switch
  std::string_view help = {};        // one line, without a full stop
  bool repeatable = false;
  std::span<const std::string_view> choices = {};  // the only values allowed; empty: any
  std::string_view default_value = {};
  ValueKind kind = ValueKind::kText;

  bool is_switch() const { return value_name.empty(); }
};

// The arguments that are not flags.
struct Operands {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  std::string_view name = {};  // "FILE"
  std::size_t min = 0;
  std::size_t max = 0;
  std::string_view help = {};
  ValueKind kind = ValueKind::kText;
};

struct Example {
  std::string_view command;  // as typed: "lockstep dump rank_3.lockstep"
  std::string_view meaning;
};

// Whether the job's command may end the line.
enum class TakesCommand { kNo, kMay, kMust };

// Whether a word that is no flag begins the command without a "--" before it, after so many operands.
using BeginsCommand = bool (*)(std::string_view word, std::size_t operands);

// Where help lists it, in this order.
enum class VerbGroup { kStart, kWatch, kDeeper, kService, kReference };

// The flags every verb shares by name. A verb accepts those it acts on; --help is always there.
struct Globals {
  bool json = false;
  bool color = false;
  bool verbose = false;
};

struct Verb {
  std::string_view name = {};
  std::string_view one_line = {};  // no capital, no full stop: "show a record file as text"
  std::string_view usage = {};     // "dump FILE... [flags]"
  VerbGroup group = VerbGroup::kReference;
  std::span<const std::string_view> description = {};  // paragraphs
  std::span<const Example> examples = {};
  Operands operands = {};
  TakesCommand command = TakesCommand::kNo;
  BeginsCommand begins_command = nullptr;  // nullptr: it stands behind "--" only
  std::span<const Flag> flags = {};
  Globals globals = {};
  Result<ExitStatus> (*run)(const Args& args, Terminal& terminal) = nullptr;
};

using VerbTable = std::span<const Verb* const>;

const Verb* find_verb(VerbTable verbs, std::string_view name);  // nullptr: no such verb

// Everything the verb accepts: its own flags, then the global ones it asked for, --help last.
std::vector<Flag> flags_of(const Verb& verb);

// The help line with what the table knows besides: choices, repetition, default.
std::string meaning_of(const Flag& flag);

// "auto, always or never"
std::string choices_in_words(std::span<const std::string_view> choices);

// What was typed after the verb, checked against its table and otherwise untouched. What a verb builds from
// it is the verb's own type.
class Args {
 public:
  explicit Args(const Verb& verb) : verb_(&verb) {}

  // Asking for a flag that is not in the verb's table is our bug and fails a CHECK.
  bool has(std::string_view flag) const;                          // was it typed?
  std::optional<std::string> value(std::string_view flag) const;  // as typed, else the table's default
  std::vector<std::string> values(std::string_view flag) const;   // of a repeatable flag, in order

  void add(std::string_view flag, std::string value);  // "" for a switch

  std::vector<std::string> operands;
  std::vector<std::string> command;  // after --, byte for byte

 private:
  const std::vector<std::string>* typed(std::string_view flag) const;

  const Verb* verb_;
  std::map<std::string, std::vector<std::string>, std::less<>> typed_;
};

// Every verb of the program, in the order in which help lists them.
extern const Verb kDemoVerb;
extern const Verb kRunVerb;
extern const Verb kDiagnoseVerb;
extern const Verb kCheckVerb;
extern const Verb kReportVerb;
extern const Verb kTopVerb;
extern const Verb kAttachVerb;
extern const Verb kIsolateVerb;
extern const Verb kReplayVerb;
extern const Verb kDiffVerb;
extern const Verb kDumpVerb;
extern const Verb kFactsVerb;
extern const Verb kSubmitVerb;
extern const Verb kJobsVerb;
extern const Verb kLogsVerb;
extern const Verb kCancelVerb;
extern const Verb kServeVerb;
extern const Verb kPageVerb;
extern const Verb kExplainVerb;
extern const Verb kCatalogueVerb;
extern const Verb kProbeAgentVerb;
extern const Verb kVersionVerb;
extern const Verb kHelpVerb;

VerbTable all_verbs();

}  // namespace lockstep::cli
