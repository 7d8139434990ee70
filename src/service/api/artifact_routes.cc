#include "service/api/artifact_routes.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include "service/api/handler.h"
#include "service/engine/artifacts.h"
#include "service/http/problem.h"
#include "service/job/job_id.h"

namespace lockstep::service {
namespace {

using base::Json;

constexpr std::int64_t kArtifactPiece = 64 << 10;

// As many bytes as were promised, even if the job writes on.
class ArtifactSource : public BodySource {
 public:
  ArtifactSource(process::Descriptor file, std::int64_t left) : file_(std::move(file)), left_(left) {}

  Next next(std::string& bytes) override {
    if (left_ == 0) return Next::kEnd;
    bytes.resize(static_cast<std::size_t>(std::min(left_, kArtifactPiece)));
    const ssize_t count = ::read(file_.get(), bytes.data(), bytes.size());
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    left_ -= static_cast<std::int64_t>(bytes.size());
    return bytes.empty() ? Next::kEnd : Next::kData;
  }

 private:
  process::Descriptor file_;
  std::int64_t left_;
};

}  // namespace

Response list_artifacts(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    const Artifacts artifacts = artifacts_in(call.service.engine().files_of(job.id), job.spec.files);
    Json list = Json::array();
    for (const Artifact& one : artifacts.found) {
      list.push_back({{"path", one.path}, {"bytes", one.bytes}, {"changed_at", rfc3339(one.changed_ms)}});
    }
    return json_answer(200, {{"artifacts", list}, {"is_cut", artifacts.is_cut}});
  });
}

Response download_artifact(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    const auto path = parameter(call, "path");
    if (!path) return bad_query("path", "is missing");
    auto file = open_artifact(call.service.engine().files_of(job.id), *path);
    struct stat found {};
    if (!file || ::fstat(file->get(), &found) != 0) {
      return answer(Problem{.status = 404,
                            .code = "artifact_not_found",
                            .title = "The job left no such file",
                            .hint = "its artifacts are listed one level above"});
    }
    Response response{.content_type = "application/octet-stream"};
    response.headers.emplace_back("Content-Length", std::to_string(found.st_size));
    response.source = std::make_unique<ArtifactSource>(std::move(*file), found.st_size);
    return response;
  });
}

}  // namespace lockstep::service
