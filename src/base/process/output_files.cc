#include "base/process/output_files.h"

#include <fcntl.h>
#include <string>
#include <utility>

#include "base/file.h"

namespace lockstep::process {

Result<OutputFiles> OutputFiles::open(const std::filesystem::path& folder, std::string_view stem) {
  OutputFiles files(folder);
  TRY(files.open_files(stem));
  return files;
}

Result<void> OutputFiles::open_files(std::string_view stem) {
  for (const auto& [descriptor, ending] : {std::pair(&out_, ".out"), std::pair(&err_, ".err")}) {
    const std::filesystem::path path = folder_ / (std::string(stem) + ending);
    *descriptor = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor->is_open()) return base::error_from_errno("cannot write", path);
  }
  return {};
}

void OutputFiles::keep(Stream stream, std::string_view bytes) {
  const Descriptor& file = stream == Stream::kOut ? out_ : err_;
  if (!base::write_all(file.get(), bytes)) is_whole_ = false;
}

void OutputFiles::go_on_in(std::string_view stem) {
  if (!open_files(stem).ok()) is_whole_ = false;
}

}  // namespace lockstep::process
