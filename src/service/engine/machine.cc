#include "service/engine/machine.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <filesystem>
#include <netinet/in.h>
#include <random>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::service {
namespace {

constexpr int kLowestPort = 10'000;

std::int64_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return std::max<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN), 1);
}

std::vector<int> gpu_numbers() {
  std::vector<int> numbers;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("nvidia")) continue;
    if (const auto number = base::number_in<int>(std::string_view(name).substr(6)))
      numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

int lowest_port_of_the_kernel() {
  const auto text = base::read_file("/proc/sys/net/ipv4/ip_local_port_range", 64);
  const int lowest = text.ok() ? base::number_in<int>(base::word_of(text.value(), " \t")).value_or(0) : 0;
  return lowest > kLowestPort + 1000 ? lowest : 32'768;
}

bool is_free(int port) {
  const process::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return socket.is_open() && ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.gpus = gpu_numbers();
  machine.total = {.millicpus = 1000 * cores(),
                   .memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE),
                   .gpus = static_cast<std::int64_t>(machine.gpus.size())};
  return machine;
}

Result<std::vector<int>> free_ports(int count, const std::set<int>& taken) {
  const int end = lowest_port_of_the_kernel();
  std::random_device seed;
  int port = std::uniform_int_distribution<int>(kLowestPort, end - 1)(seed);
  std::vector<int> ports;
  for (int tried = kLowestPort; tried < end && static_cast<int>(ports.size()) < count; ++tried) {
    if (!taken.contains(port) && is_free(port)) ports.push_back(port);
    port = port + 1 == end ? kLowestPort : port + 1;
  }
  if (static_cast<int>(ports.size()) == count) return ports;
  return Error{"cannot find free ports for the ranks", "127.0.0.1", "all are in use",
               "let other jobs end first"};
}

}  // namespace lockstep::service
