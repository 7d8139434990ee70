#include "cli/job_artifacts.h"

#include <fcntl.h>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json_fields.h"
#include "base/process/descriptor.h"
#include "cli/service_client.h"
#include "service/http/message.h"
#include "service/job/spec_fields.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using base::Json;

Result<void> download_one(const service::Client& client, const std::string& target, const fs::path& path) {
  std::error_code fault;
  fs::create_directories(path.parent_path(), fault);
  if (fault) return Error{"cannot make the folder", path.parent_path().string(), fault.message(), ""};
  fs::path beside = path;
  beside += ".partial";
  const process::Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return base::error_from_errno("cannot write", path);
  TRY(client.download(target, [&](std::string_view bytes) -> Result<void> {
    if (!base::write_all(file.get(), bytes)) return base::error_from_errno("cannot write", path);
    return {};
  }));
  fs::rename(beside, path, fault);
  if (fault) return Error{"cannot write", path.string(), fault.message(), ""};
  return {};
}

}  // namespace

Result<Json> artifacts_of(const service::Client& client, const std::string& job_id) {
  const Json listed = TRY(json_of(client.send("GET", fmt::format("/v1/jobs/{}/artifacts", job_id))));
  return listed.value("artifacts", Json::array());
}

Result<void> show_artifacts(const Json& artifacts, Terminal& terminal) {
  for (const Json& one : artifacts) {
    const std::string line = fmt::format("  artifact {} ({} bytes)", base::text_at(one, "path"),
                                         one.value("bytes", std::int64_t{0}));
    TRY(terminal.write(base::escape_for_terminal(line) + "\n"));
  }
  return {};
}

Result<void> download_artifacts(const service::Client& client, const std::string& job_id,
                                const Json& artifacts, const fs::path& folder, Terminal& terminal) {
  for (const Json& one : artifacts) {
    const std::string path = base::text_at(one, "path");
    if (!service::stays_inside(path))
      return Error{"cannot fetch an artifact", path, "its path leads out of the folder", ""};
    TRY(download_one(
        client, fmt::format("/v1/jobs/{}/artifacts/content?path={}", job_id, service::percent_encoded(path)),
        folder / path));
  }
  terminal.tell(fmt::format("lockstep: {} artifacts in {}\n", artifacts.size(), folder.string()));
  return {};
}

}  // namespace lockstep::cli
