#include "run/watch/remote_process.h"

#include <charconv>

#include <fmt/format.h>

namespace lockstep::watch {
namespace {

template <typename Number>
bool read_number(std::string_view digits, Number& number) {
  const std::size_t begin = digits.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  const char* end = digits.data() + digits.size();
  return std::from_chars(digits.data() + begin, end, number).ptr == end;
}

}  // namespace

std::filesystem::path remote_process_file(const std::filesystem::path& record_file) {
  return record_file.parent_path() / ("." + record_file.stem().string() + ".process");
}

std::string encode(const RemoteProcess& process) {
  return fmt::format("{} {:20} {:20}\n", process.state, process.cpu_ticks, process.clock_lead_ns);
}

std::optional<RemoteProcess> decode_remote_process(std::string_view line) {
  if (line.size() != kRemoteProcessBytes) return std::nullopt;
  RemoteProcess process;
  process.state = line.front();
  if (!read_number(line.substr(2, 20), process.cpu_ticks)) return std::nullopt;
  if (!read_number(line.substr(23, 20), process.clock_lead_ns)) return std::nullopt;
  return process;
}

}  // namespace lockstep::watch
