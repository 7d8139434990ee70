#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "cli/program.h"
#include "cli/service_client.h"
#include "cli/verb.h"
#include "service/client/client.h"
#include "service/engine/start_apart.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOpener = "xdg-open";

bool has_display() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  }
  return false;
}

std::optional<fs::path> opener_in_path() {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string_view folder = base::word_of(rest, ':');
    const fs::path found = fs::path(folder) / kOpener;
    std::error_code ignored;
    if (found.is_absolute() && fs::is_regular_file(found, ignored)) return found;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return std::nullopt;
}

// The address holds a key, and what a program is started with everybody on the machine can read. So the
// browser gets a file of the user's own that leads there.
Result<fs::path> write_way_to(const std::string& address, const fs::path& folder) {
  const fs::path way = folder / "open-page.html";
  TRY(base::write_file(
      way, fmt::format("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Lockstep</title>\n"
                       "<meta http-equiv=\"refresh\" content=\"0; url={0}\">\n<a href=\"{0}\">Lockstep</a>\n",
                       address)));
  std::error_code fault;
  fs::permissions(way, fs::perms::owner_read | fs::perms::owner_write, fault);
  if (fault)
    return Error{"cannot make the file that opens the page private", way.string(), fault.message(), ""};
  return way;
}

// Whether a browser was asked.
Result<bool> open_browser(const std::string& address, const fs::path& folder) {
  const auto opener = opener_in_path();
  if (!has_display() || !opener) return false;
  const fs::path way = TRY(write_way_to(address, folder));
  TRY(service::start_apart({opener->string(), way.string()}, process::own_environment(), "/dev/null"));
  return true;
}

Result<std::uint16_t> port_from(const Args& args) {
  const std::string text = args.value("port").value_or("0");
  if (const auto port = base::number_in<std::uint16_t>(text)) return *port;
  return Error{"wrong value for '--port'", text, "not a port", "as 8080; 0 takes a free one"};
}

Result<ExitStatus> run_page(const Args& args, Terminal& terminal) {
  const std::uint16_t port = TRY(port_from(args));
  const std::string program = TRY(service::own_program());
  const service::Client client = TRY(service::Client::connect(state_folder(args), program));
  const std::string job = args.operands.empty() ? "" : TRY(job_id_from(client, args.operands.front()));
  if (!job.empty()) TRY(json_of(client.send("GET", "/v1/jobs/" + job)));
  const std::string address = address_of_job(TRY(open_page(client, port)), job);
  TRY(terminal.write(address + "\n"));
  TRY(terminal.flush());
  if (args.has("no-open")) return ExitStatus::kNothingFound;
  const auto opened = open_browser(address, state_folder(args));
  if (!opened.ok()) terminal.tell(message_of(opened.error()));
  if (opened.ok() && !opened.value())
    terminal.tell("lockstep: no display here; open the address above in a browser on this machine\n");
  return ExitStatus::kNothingFound;
}

constexpr Flag kPageFlags[] = {
    {.name = "port",
     .value_name = "PORT",
     .help = "Where to open the page if it is not open; 0: a free port",
     .default_value = "0"},
    {.name = "no-open", .help = "Print the address, and open no browser"},
    kStateFlag,
};

constexpr std::string_view kPageDescription[] = {
    "Opens the page of the service in a browser: its jobs, their logs while they run, what was found and how "
    "to "
    "fix it. Prints the address. With the name of a job it opens that job.",
    "Starts a service if none is running. One that runs without a page, as 'lockstep submit' starts it, "
    "opens one now; only this machine reaches it.",
    "The address contains a secret token; anyone who has it can act as you. It is valid as long as the "
    "service "
    "runs. From another machine, forward the port: ssh -L PORT:127.0.0.1:PORT HOST.",
    "Exit status: 0; 2 when the page cannot be opened or there is no such job.",
};

constexpr Example kPageExamples[] = {
    {"lockstep page", "Look at the jobs"},
    {"lockstep page job_0001jm2k3c4d5e6f7g8h9j0kmn", "Look at this one"},
    {"lockstep page --no-open --port 8080", "Print the address; to be forwarded by ssh"},
};

}  // namespace

constinit const Verb kPageVerb{
    .name = "page",
    .one_line = "open the page of the service in a browser",
    .usage = "page [flags] [ID]",
    .group = VerbGroup::kService,
    .description = kPageDescription,
    .examples = kPageExamples,
    .operands = {.name = "ID", .min = 0, .max = 1, .help = "The name of a job", .kind = ValueKind::kJob},
    .flags = kPageFlags,
    .run = run_page,
};

}  // namespace lockstep::cli
