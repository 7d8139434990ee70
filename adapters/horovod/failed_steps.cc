#include "failed_steps.h"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "lockstep/recorder.h"

#include "object_patch.h"

namespace lockstep::adapters::horovod {
namespace {

using Word = std::uintptr_t;
using Function = void (*)(void* context, Word, Word, Word);

struct Way {
  const char* name_begin;
  bool may_be_fine;     // its status may be that nothing failed
  bool status_is_last;  // behind the place in the code
};
constexpr Way kWays[] = {
    {"_ZN10tensorflow15OpKernelContext9SetStatusERK", true, false},
    {"_ZN10tensorflow15OpKernelContext10CtxFailureERK", false, false},
    {"_ZN10tensorflow15OpKernelContext10CtxFailureEPK", false, true},
    {"_ZN10tensorflow15OpKernelContext21CtxFailureWithWarningERK", false, false},
    {"_ZN10tensorflow15OpKernelContext21CtxFailureWithWarningEPK", false, true},
};

// TensorFlow's std::string, GCC's. Ours is another one where this is compiled with Clang's library.
class TheirString {
 public:
  TheirString(const TheirString&) = delete;
  TheirString& operator=(const TheirString&) = delete;
  ~TheirString() {
    if (data_ != local_) ::operator delete(data_);
  }
  std::string_view text() const { return {data_, size_}; }

 private:
  char* data_;
  std::size_t size_;
  char local_[16];
};

Function real[std::size(kWays)];
TheirString (*words_of)(const void* status) = nullptr;
thread_local const void* failed_context = nullptr;
thread_local std::uint32_t failed_words = 0;

// One word: 0, or 1 with newer versions of abseil, unless there is an error to point to.
bool is_fine(Word status) {
  return *reinterpret_cast<const Word*>(status) <= 1;
}

void note(const void* context, Word status) {
  failed_context = context;
  failed_words = 0;
  if (words_of == nullptr) return;
  const TheirString string = words_of(reinterpret_cast<const void*>(status));
  const std::string_view words = string.text();
  constexpr std::size_t kLongest = 500;
  if (words.find("Horovod has been shut down") != std::string_view::npos) return;
  failed_words = lockstep_intern_string(words.data(), std::min(words.size(), kLongest));
}

template <std::size_t way>
void told(void* context, Word a, Word b, Word c) {
  if (kWays[way].may_be_fine && is_fine(a)) {
    failed_context = nullptr;
  } else {
    note(context, kWays[way].status_is_last ? c : a);
  }
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
  words_of =
      reinterpret_cast<TheirString (*)(const void*)>(::dlsym(handle, "_ZNK3tsl6Status8ToStringB5cxx11Ev"));
  watch_all(handle, std::make_index_sequence<std::size(kWays)>());
}

bool is_failed(const void* context) {
  return failed_context == context;
}

std::uint32_t words_of_failure() {
  return failed_words;
}

}  // namespace lockstep::adapters::horovod
