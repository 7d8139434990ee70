#include "service/engine/report_maker.h"

#include <chrono>
#include <sys/wait.h>

#include "base/process/environment.h"
#include "service/engine/start_apart.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

// Each takes a core for a while, and jobs run on this machine.
constexpr std::size_t kMaxAtOnce = 2;
// The report of an attempt that runs is made anew when it is older.
constexpr std::chrono::seconds kOld{5};
constexpr int kCouldNotBeWritten = 2;

bool is_current(const AttemptFolder& folder, bool is_over) {
  std::error_code fault;
  const auto made = fs::last_write_time(folder.report(), fault);
  if (fault) return false;
  if (!is_over) return fs::file_time_type::clock::now() - made < kOld;
  const auto ended = fs::last_write_time(folder.end(), fault);
  return fault || made >= ended;
}

}  // namespace

void ReportMaker::reap() {
  for (auto maker = makers_.begin(); maker != makers_.end();) {
    int state = 0;
    if (::waitpid(maker->second, &state, WNOHANG) == 0) {
      ++maker;
      continue;
    }
    const int status = WIFEXITED(state) ? WEXITSTATUS(state) : kCouldNotBeWritten;
    if (status >= kCouldNotBeWritten) failures_[maker->first] = status;
    maker = makers_.erase(maker);
  }
}

Result<ReportStanding> ReportMaker::ask(const AttemptFolder& folder, bool is_over) {
  reap();
  const std::string place = folder.path.string();
  if (makers_.contains(place)) return ReportStanding::kBeingMade;
  if (is_current(folder, is_over)) return ReportStanding::kReady;
  // Told once; who asks again may have mended it.
  if (failures_.erase(place) > 0) return ReportStanding::kImpossible;
  if (makers_.size() >= kMaxAtOnce) return ReportStanding::kBeingMade;
  makers_[place] =
      TRY(start_apart({program_, "report", folder.recording().string(), "-o", folder.report().string()},
                      process::own_environment(), folder.path / "report.log"));
  return ReportStanding::kBeingMade;
}

}  // namespace lockstep::service
