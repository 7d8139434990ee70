// One entry of a class's virtual table, exchanged while the program runs.
#pragma once

#include <cstddef>

namespace lockstep::tensorflow_adapter {

// The place of a virtual function among the entries, as the Itanium C++ ABI writes it into a pointer to
// member.
template <typename Member>
std::size_t entry_of(Member member) {
  static_assert(sizeof(Member) == 2 * sizeof(std::ptrdiff_t), "a pointer to member of the Itanium ABI");
  union {
    Member member;
    std::ptrdiff_t words[2];
  } seen{member};
  return static_cast<std::size_t>(seen.words[0] - 1) / sizeof(void*);
}

// Gives the function that was there, or null when the table cannot be written to: then it is as it was. The
// entry changes by one store, so a call in another thread meets the old function or the new one.
void* exchange_entry(void** entry, void* function);

}  // namespace lockstep::tensorflow_adapter
