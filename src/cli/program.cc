#include "cli/program.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "cli/help.h"
#include "cli/parse.h"

namespace lockstep::cli {

std::string_view version() {
  return LOCKSTEP_VERSION;
}

namespace {

ColorChoice color_choice(const RunVerb& request) {
  if (!request.verb->globals.color) return ColorChoice::kAuto;
  const std::string when = *request.args.value("color");
  if (when == "always") return ColorChoice::kAlways;
  return when == "never" ? ColorChoice::kNever : ColorChoice::kAuto;
}

Result<ExitStatus> run_verb(const RunVerb& request, Terminal& terminal) {
  terminal.choose_color(color_choice(request));
  return request.verb->run(request.args, terminal);
}

Result<ExitStatus> answer(std::span<const std::string> words, VerbTable verbs, Terminal& terminal) {
  const Request request = TRY(parse(words, verbs));
  if (const auto* run = std::get_if<RunVerb>(&request)) return run_verb(*run, terminal);
  if (const auto* help = std::get_if<ShowHelp>(&request)) {
    TRY(terminal.write(help->verb == nullptr ? program_help(verbs) : verb_help(*help->verb)));
  } else {
    TRY(terminal.write(fmt::format("lockstep {}\n", version())));
  }
  return ExitStatus::kNothingFound;
}

Result<ExitStatus> answer_and_flush(std::span<const std::string> words, VerbTable verbs, Terminal& terminal) {
  Result<ExitStatus> outcome = answer(words, verbs, terminal);
  const Result<void> flushed = terminal.flush();
  const bool output_was_wanted = !terminal.reader_is_gone();
  if (outcome.ok() && !flushed.ok() && output_was_wanted) return flushed.error();
  if (!outcome.ok() && !output_was_wanted) return ExitStatus::kNothingFound;
  return outcome;
}

}  // namespace

std::string message_of(const Error& error) {
  std::string message = "lockstep";
  for (const std::string& part : {error.what, error.where, error.why}) {
    if (!part.empty()) message += ": " + base::escape_for_terminal(part);
  }
  message += '\n';
  if (!error.hint.empty()) message += "  " + base::escape_for_terminal(error.hint) + '\n';
  return message;
}

int run_program(std::span<const std::string> words, VerbTable verbs, Terminal& terminal) {
  if (words.empty()) {
    terminal.tell(program_help(verbs));
    return static_cast<int>(ExitStatus::kCouldNotDoIt);
  }
  const Result<ExitStatus> outcome = answer_and_flush(words, verbs, terminal);
  if (outcome.ok()) return static_cast<int>(outcome.value());
  terminal.tell(message_of(outcome.error()));
  return static_cast<int>(ExitStatus::kCouldNotDoIt);
}

}  // namespace lockstep::cli
