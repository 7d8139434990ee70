// Any bytes as a shell script: followed to an end within its bounds, with everything open and with everything
// known.
#include <cstddef>
#include <cstdint>
#include <string>

#include "shell/interpreter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lockstep::shell::Outer;
  const std::string text =
      lockstep::shell::without_control_characters({reinterpret_cast<const char*>(data), size});
  for (const Outer::Kind kind : {Outer::Kind::kOpen, Outer::Kind::kUnset}) {
    const lockstep::shell::World world{
        .variable =
            [&](const std::string&) {
              return Outer{kind, {}};
            },
        .file = [&](const std::string&) { return text; },
        .start = [](const lockstep::shell::Command&) { return std::vector<int>{1}; },
        .note = [](const lockstep::shell::Note&) {}};
    (void)lockstep::shell::interpret({.text = text, .place = {"a.sh", 1}, .name = "a.sh"}, world);
  }
  return 0;
}
