#include "cli/demo_archive.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "base/embed.h"
#include "base/file.h"
#include "base/text_fields.h"
#include "readers/byte_stream.h"

LOCKSTEP_EMBED(demo_desync, LOCKSTEP_DEMOS "/desync.tar.zst")
LOCKSTEP_EMBED(demo_oom, LOCKSTEP_DEMOS "/oom.tar.zst")
LOCKSTEP_EMBED(demo_straggler, LOCKSTEP_DEMOS "/straggler.tar.zst")
LOCKSTEP_EMBED(demo_nan, LOCKSTEP_DEMOS "/nan.tar.zst")
LOCKSTEP_EMBED(demo_exception, LOCKSTEP_DEMOS "/exception.tar.zst")

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

class EmbeddedBytes : public readers::ByteStream {
 public:
  explicit EmbeddedBytes(std::string_view bytes) : left_(bytes) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t count = std::min(room.size(), left_.size());
    std::memcpy(room.data(), left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }
  std::string limit() const override { return ""; }

 private:
  std::string_view left_;
};

// POSIX's ustar: blocks of 512 bytes, a header before each file.
constexpr std::size_t kBlock = 512;
constexpr std::size_t kLargestFile = std::size_t{64} << 20;  // of a demo's job; the largest has 4 MiB

std::string_view text_in(std::string_view field) {
  return field.substr(0, field.find('\0'));
}

std::optional<std::uint64_t> octal_in(std::string_view field) {
  return base::number_in<std::uint64_t>(base::trimmed(text_in(field)), 8);
}

bool stays_below(const fs::path& name) {
  return !name.empty() && name.is_relative() && std::ranges::find(name, "..") == name.end();
}

Result<void> unpack_file(readers::ByteStream& tar, std::string_view header, const fs::path& folder) {
  const auto fault = [&](const char* why) {
    return Error{"cannot unpack the demo", folder.string(), why, ""};
  };
  const fs::path name(text_in(header.substr(0, 100)));
  const auto bytes = octal_in(header.substr(124, 12));
  const auto changed_s = octal_in(header.substr(136, 12));
  if (!bytes || *bytes > kLargestFile || !changed_s || !stays_below(name))
    return fault("a header is damaged");
  std::string content((*bytes + kBlock - 1) / kBlock * kBlock, '\0');
  if (tar.read(content) != content.size()) return fault("it is cut off");
  content.resize(*bytes);
  std::error_code code;
  fs::create_directories((folder / name).parent_path(), code);
  TRY(base::write_file(folder / name, content));
  const auto changed = std::chrono::system_clock::time_point(std::chrono::seconds(*changed_s));
  fs::last_write_time(folder / name, std::chrono::file_clock::from_sys(changed), code);
  return {};
}

std::string_view bytes_between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::span<const Demo> all_demos() {
  static const Demo kDemos[] = {
      {"desync", "a rank leaves the training loop early and the others wait for it",
       bytes_between(lockstep_demo_desync_begin, lockstep_demo_desync_end)},
      {"oom", "a rank runs out of memory", bytes_between(lockstep_demo_oom_begin, lockstep_demo_oom_end)},
      {"straggler", "a rank is slow and holds up the others",
       bytes_between(lockstep_demo_straggler_begin, lockstep_demo_straggler_end)},
      {"nan", "the loss becomes NaN at some step",
       bytes_between(lockstep_demo_nan_begin, lockstep_demo_nan_end)},
      {"exception", "one rank's script raises an exception",
       bytes_between(lockstep_demo_exception_begin, lockstep_demo_exception_end)},
  };
  return kDemos;
}

Result<void> unpack(std::string_view archive, const fs::path& folder) {
  EmbeddedBytes packed(archive);
  readers::Decompressed tar(packed, archive.substr(0, 16));
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return Error{"cannot unpack the demo", folder.string(), code.message(), ""};
  std::string header(kBlock, '\0');
  while (tar.read(header) == kBlock && header.front() != '\0') TRY(unpack_file(tar, header, folder));
  if (!tar.limit().empty()) return Error{"cannot unpack the demo", folder.string(), tar.limit(), ""};
  return {};
}

}  // namespace lockstep::cli
