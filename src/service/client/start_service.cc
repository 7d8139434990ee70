#include "service/client/start_service.h"

#include "base/process/environment.h"
#include "service/engine/start_apart.h"

namespace lockstep::service {

namespace fs = std::filesystem;

Result<std::string> own_program() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault) return Error{"this program does not know where it is", "", fault.message(), ""};
  return program.string();
}

Result<void> start_service(const fs::path& state_folder, const std::string& program) {
  std::error_code fault;
  fs::create_directories(state_folder, fault);
  if (!fault) fs::permissions(state_folder, fs::perms::owner_all, fault);
  if (fault)
    return Error{"cannot make the folder of the service", state_folder.string(), fault.message(), ""};
  TRY(start_apart({program, "serve", "--state", state_folder.string(), "--rest-after", "60"},
                  process::own_environment(), state_folder / "service.log"));
  return {};
}

}  // namespace lockstep::service
