#include "check/repair/solver_library.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

// z3++.h calls the library's functions by their names; each is a jump to the address in a variable, which is
// set when the library is loaded. No wrappers in C++: they would repeat 46 lists of parameters.
#if defined(__x86_64__)
#define LOCKSTEP_JUMP(place) "jmp *" place "(%rip)\n"
#elif defined(__aarch64__)
#define LOCKSTEP_JUMP(place) "adrp x16, " place "\nldr x16, [x16, :lo12:" place "]\nbr x16\n"
#else
#error "write the jump of this processor"
#endif

#define Z3_FUNCTION(name)                                                                           \
  extern "C" [[gnu::visibility("hidden")]] void* lockstep_at_##name;                                \
  void* lockstep_at_##name = nullptr;                                                               \
  asm(".pushsection .text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name \
      ":\n" LOCKSTEP_JUMP("lockstep_at_" #name) ".size " #name ", .-" #name "\n.popsection\n");
#include "check/repair/z3_functions.def"
#undef Z3_FUNCTION

namespace lockstep::repair {
namespace {

namespace fs = std::filesystem;

struct Function {
  const char* name;
  void** address;
};

#define Z3_FUNCTION(name) {#name, &lockstep_at_##name},
constexpr auto kFunctions = std::to_array<Function>({
#include "check/repair/z3_functions.def"
});
#undef Z3_FUNCTION

// As `pip install z3-solver` puts it beside an installed tool; else where the linker looks.
std::vector<std::string> places() {
  std::vector<std::string> places;
  std::error_code fault;
  const fs::path lib = fs::read_symlink("/proc/self/exe", fault).parent_path().parent_path() / "lib";
  for (auto at = fs::directory_iterator(lib, fault); !fault && at != fs::directory_iterator();
       at.increment(fault)) {
    if (!at->path().filename().string().starts_with("python")) continue;
    const fs::path library = at->path() / "site-packages/z3/lib/libz3.so";
    std::error_code absent;
    if (fs::exists(library, absent)) places.push_back(library.string());
  }
  places.insert(places.end(), {"libz3.so.4", "libz3.so"});
  return places;
}

std::optional<std::string> load() {
  void* library = nullptr;
  for (const std::string& place : places())
    if ((library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (library == nullptr)
    return "a repair is chosen by the solver Z3, which is not installed here: 'pip install z3-solver' beside "
           "Lockstep, or the package libz3-4 of Debian and Ubuntu, brings it";
  for (const Function& function : kFunctions)
    if ((*function.address = ::dlsym(library, function.name)) == nullptr)
      return fmt::format("this version of the solver Z3 has no {}: 'pip install --upgrade z3-solver'",
                         function.name);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_solver() {
  static const std::optional<std::string> kWhy = load();
  return kWhy;
}

}  // namespace lockstep::repair
