#include "hostinfo/collect/sockets.h"

#include <arpa/inet.h>
#include <cstring>

#include "base/lines.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

constexpr std::size_t kLargestTable = std::size_t{64} << 20;

// The kernel prints the address as words of 32 bits in the machine's byte order: 0100007F is 127.0.0.1.
std::optional<base::Address> address_in(std::string_view hex) {
  base::Address address;
  if (hex.size() == 32) {
    address.family = base::Family::kIpv6;
  } else if (hex.size() != 8) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at < hex.size(); at += 8) {
    const auto word = base::number_in<std::uint32_t>(hex.substr(at, 8), 16);
    if (!word) return std::nullopt;
    std::memcpy(address.bytes.data() + at / 2, &*word, sizeof *word);
  }
  return address;
}

}  // namespace

std::vector<ListeningSocket> listening_in(std::string_view text) {
  constexpr std::string_view kListen = "0A";
  std::vector<ListeningSocket> sockets;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string_view local = base::trimmed(base::rest_after(*line, ": "));
    const std::string_view remote = base::trimmed(base::rest_after(local, " "));
    const std::string_view state = base::word_of(base::trimmed(base::rest_after(remote, " ")));
    if (state != kListen) continue;
    const std::size_t colon = local.find(':');
    if (colon == std::string_view::npos) continue;
    const auto address = address_in(local.substr(0, colon));
    const auto port = base::number_in<std::uint16_t>(base::word_of(local.substr(colon + 1)), 16);
    if (address && port) sockets.push_back({.address = *address, .port = *port, .program = ""});
  }
  return sockets;
}

void take_listening(HostFacts& facts) {
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const std::string text = process::text_of(table, kLargestTable);
    for (ListeningSocket& socket : listening_in(text)) facts.listening.push_back(std::move(socket));
  }
}

}  // namespace lockstep::hostinfo
