#include "record/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"

namespace lockstep::record {
namespace {

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(base::FileDescriptor file) : file_(std::move(file)) {}

  std::uint64_t size() const override {
    struct stat status {};
    return ::fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got =
          ::pread(file_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return std::nullopt;
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  std::uint64_t next_data(std::uint64_t offset) override {
    const off_t found = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (found >= 0) return static_cast<std::uint64_t>(found);
    return errno == ENXIO ? std::max(offset, size()) : offset;
  }

 private:
  base::FileDescriptor file_;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }

  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t present = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, present);
    return present;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_byte_source(const std::filesystem::path& path) {
  auto file = base::open_file(path);
  if (!file.ok()) {
    return Error{"cannot open", path.string(), file.error().why,
                 "give a *.lockstep file or a recording folder written by lockstep"};
  }
  return std::unique_ptr<ByteSource>(new FileBytes(std::move(file).value()));
}

std::unique_ptr<ByteSource> byte_source_over(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace lockstep::record
