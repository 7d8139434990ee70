// What other hosts send: as bytes of a stranger, and as messages of somebody who has the token, kept in a
// recording.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

#include "run/multihost/host_copy.h"
#include "run/multihost/messages.h"

namespace {

namespace fs = std::filesystem;
using namespace lockstep::multihost;

void as_a_stranger(std::string_view bytes) {
  for (const Side side : {Side::kHead, Side::kSatellite}) {
    Conversation conversation(side, "token", Nonce{});
    for (std::size_t at = 0; at < bytes.size(); at += 97) conversation.take(bytes.substr(at, 97));
    if (conversation.next() || conversation.is_trusted()) __builtin_trap();  // nobody guesses a seal
  }
}

const fs::path& folder() {
  static const fs::path made = [] {
    char name[] = "/tmp/lockstep-fuzz-hosts-XXXXXX";
    return fs::path(::mkdtemp(name));
  }();
  return made;
}

// Each message is preceded by two bytes of length.
void as_a_friend(std::string_view bytes) {
  HostCopy copy(folder(), "node1");
  while (bytes.size() >= 2) {
    const std::size_t length = static_cast<std::uint8_t>(bytes[0]) | static_cast<std::uint8_t>(bytes[1]) << 8;
    const auto message = decode(bytes.substr(2, length));
    bytes.remove_prefix(std::min(bytes.size(), 2 + length));
    if (!message) continue;
    if (decode(encode(*message)) != message) __builtin_trap();
    if (const auto* file = std::get_if<RankFile>(&*message)) (void)copy.keep(*file);
    if (const auto* part = std::get_if<RecordBytes>(&*message)) (void)copy.keep(*part);
    if (const auto* pulse = std::get_if<Pulse>(&*message)) copy.keep(*pulse);
    if (const auto* evidence = std::get_if<EvidenceFile>(&*message)) (void)copy.keep(*evidence);
    if (const auto* output = std::get_if<Output>(&*message)) (void)copy.keep(*output);
  }
  copy.lose_sight();
  copy.remove();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) {
    as_a_stranger(bytes);
  } else {
    as_a_friend(bytes);
  }
  return 0;
}
