// How much of a script is read. Scripts that people write stay far below; past a bound, what follows is open.
#pragma once

#include <cstddef>

namespace lockstep::shell {

inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxWordBytes = std::size_t{1} << 16;  // variables put into each other double
inline constexpr std::size_t kMaxWords = 4096;                      // of one command or array
inline constexpr std::size_t kMaxVariables = 1024;
inline constexpr int kMaxSteps = 20000;        // statements carried out
inline constexpr int kMaxBranches = 2000;      // copies of all variables
inline constexpr int kMaxDepth = 60;           // of statements, calls and words inside each other
inline constexpr int kMaxRounds = 64;          // of a loop whose every round is known
inline constexpr int kMaxParserCalls = 20000;  // of the grammar's callback for one text

}  // namespace lockstep::shell
