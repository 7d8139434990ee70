// From the words of the command line to what they ask for, by the table of verbs alone.
//
//     -o FILE, -oFILE, --out FILE, --out=FILE    a value, once unless the flag is repeatable
//     -vo FILE                                   short switches may be joined
//     -, -5, -0.5                                operands, not flags
//     CMD...                                     the job's command, byte for byte, from the first word that
//     the
//                                                verb takes for one: no flag behind it is ours
//     -- ...                                     the same wherever it stands; for a verb without a command,
//                                                operands that may begin with a dash
//
// Before it flags come after the verb and may stand among the operands; their names are never abbreviated.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "cli/verb.h"

namespace lockstep::cli {

struct ShowHelp {
  const Verb* verb = nullptr;  // nullptr: of the program
};
struct ShowVersion {};
struct RunVerb {
  const Verb* verb;
  Args args;
};
using Request = std::variant<ShowHelp, ShowVersion, RunVerb>;

// `words` are those after the program's name, at least one.
Result<Request> parse(std::span<const std::string> words, VerbTable verbs);

// "unknown verb 'dupm'", with the verb that was probably meant.
Error unknown_verb(std::string_view word, VerbTable verbs);

}  // namespace lockstep::cli
