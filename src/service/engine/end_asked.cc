#include "service/engine/end_asked.h"

#include "base/file.h"

namespace lockstep::service {
namespace {

std::filesystem::path end_asked_in(const AttemptFolder& folder) {
  return folder.path / "end_asked";
}

}  // namespace

Result<void> note_end_asked(const AttemptFolder& folder) {
  return base::write_file(end_asked_in(folder), "");
}

bool is_end_asked(const AttemptFolder& folder) {
  std::error_code ignored;
  return std::filesystem::exists(end_asked_in(folder), ignored);
}

}  // namespace lockstep::service
