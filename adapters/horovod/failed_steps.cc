#include "failed_steps.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "object_patch.h"

namespace lockstep::adapters::horovod {
namespace {

using Word = std::uintptr_t;
using Function = void (*)(void* context, Word, Word, Word);

struct Way {
  const char* name_begin;
  bool may_be_fine;  // its argument is a status, which may be that nothing failed
};
constexpr Way kWays[] = {
    {"_ZN10tensorflow15OpKernelContext9SetStatusERK", true},
    {"_ZN10tensorflow15OpKernelContext10CtxFailureERK", false},
    {"_ZN10tensorflow15OpKernelContext10CtxFailureEPK", false},
    {"_ZN10tensorflow15OpKernelContext21CtxFailureWithWarningERK", false},
    {"_ZN10tensorflow15OpKernelContext21CtxFailureWithWarningEPK", false},
};

Function real[std::size(kWays)];
thread_local const void* failed_context = nullptr;

// One word: 0, or 1 with newer versions of abseil, unless there is an error to point to.
bool is_fine(Word status) {
  return *reinterpret_cast<const Word*>(status) <= 1;
}

template <std::size_t way>
void told(void* context, Word a, Word b, Word c) {
  failed_context = kWays[way].may_be_fine && is_fine(a) ? nullptr : context;
  real[way](context, a, b, c);
}

template <std::size_t... ways>
void watch_all(void* handle, std::index_sequence<ways...>) {
  constexpr Function kTold[] = {told<ways>...};
  for (std::size_t way = 0; way < std::size(kWays); ++way) {
    void** place = imported_function(handle, kWays[way].name_begin);
    if (place == nullptr) continue;
    real[way] = reinterpret_cast<Function>(*place);
    replace(place, reinterpret_cast<void*>(kTold[way]));
  }
}

}  // namespace

void watch_failures(void* handle) {
  watch_all(handle, std::make_index_sequence<std::size(kWays)>());
}

bool is_failed(const void* context) {
  return failed_context == context;
}

}  // namespace lockstep::adapters::horovod
