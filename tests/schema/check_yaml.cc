// Our validator by itself, for validate_catalogue.py: check_yaml SCHEMA FILE...
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_schema.h"

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto text = lockstep::base::read_file(argv[1], kLargestFile);
  if (!text.ok()) return 2;
  const auto schema = lockstep::base::JsonSchema::parse(text.value(), argv[1]);
  if (!schema.ok()) {
    fmt::print(stderr, "{}: {}\n", schema.error().where, schema.error().why);
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const auto file = lockstep::base::read_file(argv[i], kLargestFile);
    const auto faults = lockstep::base::yaml_faults(schema.value(), file.ok() ? file.value() : "", argv[i]);
    if (faults.empty()) fmt::print("{}: sound\n", argv[i]);
    for (const std::string& fault : faults) fmt::print("{}\n", fault);
  }
  return 0;
}
