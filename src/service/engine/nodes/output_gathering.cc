#include "service/engine/nodes/output_gathering.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kMostGathered = std::size_t{4} << 20;

std::filesystem::path mark_of(const AttemptFolder& folder) {
  return folder.nodes() / "gathered";
}

std::vector<std::size_t> taken_before(const AttemptFolder& folder, std::size_t nodes) {
  std::vector<std::size_t> taken(nodes);
  const auto text = base::read_file(mark_of(folder), 1 << 20);
  if (!text.ok()) return taken;
  const auto json = base::parse_json(text.value(), "gathered");
  if (!json.ok() || !json.value().is_array()) return taken;
  for (std::size_t node = 0; node < nodes && node < json.value().size(); ++node) {
    if (json.value()[node].is_number_unsigned()) taken[node] = json.value()[node].get<std::size_t>();
  }
  return taken;
}

// Whole lines only.
std::string new_lines(const std::filesystem::path& path, std::size_t from) {
  const process::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return "";
  std::string bytes(kMostGathered, '\0');
  const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  bytes.resize(bytes.rfind('\n') == std::string::npos ? 0 : bytes.rfind('\n') + 1);
  return bytes;
}

}  // namespace

OutputGathering::OutputGathering(const AttemptFolder& folder, int nodes)
    : folder_(folder), taken_(taken_before(folder, static_cast<std::size_t>(nodes))) {}

void OutputGathering::gather() {
  std::string gathered;
  for (std::size_t node = 0; node < taken_.size(); ++node) {
    const std::string lines = new_lines(folder_.node_output(static_cast<int>(node)), taken_[node]);
    taken_[node] += lines.size();
    gathered += lines;
  }
  if (gathered.empty()) return;
  const process::Descriptor file(
      ::open(folder_.output().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.is_open() || !base::write_all(file.get(), gathered)) return;
  static_cast<void>(
      base::write_file(mark_of(folder_), base::to_text(base::Json(taken_), base::JsonLayout::kOneLine)).ok());
}

}  // namespace lockstep::service
