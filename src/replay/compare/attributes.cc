#include "replay/compare/attributes.h"

#include "lockstep/record_format.h"

#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::replay {
namespace {

constexpr std::size_t kMost = 1000;

}  // namespace

Attributes attributes_in(const std::filesystem::path& record_file) {
  Attributes found;
  auto definitions = record::Definitions::read(record_file);
  auto reader = record::Reader::open(record_file);
  if (!definitions.ok() || !reader.ok()) return found;
  while (const record::RecordView* view = reader.value().next()) {
    const auto* attribute =
        view->type == LOCKSTEP_RECORD_ATTRIBUTE ? view->as<lockstep_attribute>() : nullptr;
    if (attribute == nullptr || found.size() == kMost) continue;
    found[std::string(definitions.value().string(attribute->key))] =
        definitions.value().string(attribute->value);
  }
  return found;
}

}  // namespace lockstep::replay
