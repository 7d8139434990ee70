#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/net/address.h"
#include "base/result.h"
#include "base/text_fields.h"
#include "cli/program.h"
#include "cli/service_client.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "service/client/client.h"
#include "service/job/job.h"
#include "service/serve.h"
#include "service/store/open_store.h"
#include "service/store/postgres.h"
#include "service/tokens.h"

namespace lockstep::cli {

namespace {

constexpr Flag kStoreFlag = {
    .name = "store",
    .value_name = "URL",
    .help =
        "Keep jobs in PostgreSQL, as postgresql://USER@HOST/DATABASE; default: LOCKSTEP_STORE, else a file"};

// The variable may hold a password; the flag, which everybody can read, may not.
Result<service::StorePlace> store_place(const Args& args) {
  if (const auto given = args.value("store")) {
    TRY(service::check_without_secret(*given));
    return service::StorePlace{state_folder(args), *given};
  }
  const char* const usual = std::getenv("LOCKSTEP_STORE");
  return service::StorePlace{state_folder(args), usual == nullptr ? "" : usual};
}

constexpr int kMaxDays = 3650;  // a token that outlives ten years is a password

Result<void> make_token(const Args& args, Terminal& terminal) {
  const std::string text = *args.value("expires");
  const auto days = base::number_in<int>(text);
  if (!days || *days < 1 || *days > kMaxDays) {
    return Error{"wrong value for '--expires'", text, "not a number of days", "as 90; from 1 to 3650"};
  }
  const service::StorePlace place = TRY(store_place(args));
  const service::NewToken made = TRY(service::make_token(
      place, *args.value("make-token"), *args.value("scopes"), std::chrono::hours(24) * *days));
  TRY(terminal.write(made.text + "\n"));
  terminal.tell(fmt::format(
      "lockstep: {}; keep the line above in a file that only you can read: it is not shown again\n",
      made.id));
  return {};
}

Result<void> list_tokens(const Args& args, Terminal& terminal) {
  const service::StorePlace place = TRY(store_place(args));
  for (const service::Token& token : TRY(service::list_tokens(place))) {
    const bool is_over = token.expires_ms <= service::now_in_ms();
    TRY(terminal.write(fmt::format("{}  {:<20}  {:<18}  {} {}\n", token.id, token.owner,
                                   service::scopes_of(token), is_over ? "ended" : "until",
                                   service::rfc3339(token.expires_ms))));
  }
  return {};
}

// Nothing: none of those flags was typed.
Result<std::optional<ExitStatus>> handle_tokens(const Args& args, Terminal& terminal) {
  if (args.has("make-token")) {
    TRY(make_token(args, terminal));
  } else if (args.has("list-tokens")) {
    TRY(list_tokens(args, terminal));
  } else if (args.has("revoke-token")) {
    const service::StorePlace place = TRY(store_place(args));
    TRY(service::revoke_token(place, *args.value("revoke-token")));
  } else {
    return std::optional<ExitStatus>();
  }
  return std::optional(ExitStatus::kNothingFound);
}

Result<std::optional<service::TlsPlace>> listen_place(const Args& args) {
  const std::string where = args.value("listen").value_or("");
  const std::string certificate = args.value("tls-cert").value_or("");
  const std::string key = args.value("tls-key").value_or("");
  if (where.empty() && certificate.empty() && key.empty()) return std::optional<service::TlsPlace>();
  if (where.empty() || certificate.empty() || key.empty()) {
    return Error{"cannot listen", where, "--listen, --tls-cert and --tls-key belong together",
                 "a port without TLS would show tokens to everybody"};
  }
  const auto place = base::host_port_in(where);
  if (!place) return Error{"wrong value for '--listen'", where, "no host and port", "as 0.0.0.0:8443"};
  return std::optional(service::TlsPlace{place->host, place->port, certificate, key});
}

Result<int> number_of(const Args& args, const char* flag, const char* example) {
  const std::string text = args.value(flag).value_or("0");
  const auto number = base::number_in<int>(text);
  if (number && *number >= 0) return *number;
  return Error{fmt::format("wrong value for '--{}'", flag), text, "not a number",
               fmt::format("as {}", example)};
}

Result<std::optional<std::uint16_t>> page_port(const Args& args) {
  const auto text = args.value("page");
  if (!text) return std::optional<std::uint16_t>();
  const auto port = base::number_in<std::uint16_t>(*text);
  if (!port) return Error{"wrong value for '--page'", *text, "no port", "as 8080; 0 takes a free one"};
  return port;
}

constexpr std::string_view kServeEngines[] = {"local", "slurm", "kubernetes"};

constexpr Flag kServeFlags[] = {
    kStateFlag,
    kStoreFlag,
    {.name = "rest-after",
     .value_name = "SECONDS",
     .help = "End after so long without jobs and clients; 0: stay",
     .default_value = "0"},
    {.name = "keep-days",
     .value_name = "DAYS",
     .help = "Forget jobs, with logs, recordings and artifacts, so long after their end; 0: never",
     .default_value = "0"},
    {.name = "silence",
     .value_name = "SECONDS",
     .help =
         "Name a rank that gave no sign of life for so long, and end the attempt after ten times that; 0: "
         "never",
     .default_value = "30"},
    {.name = "grow-after",
     .value_name = "SECONDS",
     .help =
         "End an elastic job that has fewer ranks than it may, to go on with more from its checkpoint when "
         "there is room, so long after its start at the earliest; 0: never",
     .default_value = "300"},
    {.name = "engine",
     .value_name = "NAME",
     .help = "Who runs the ranks of jobs that do not say: this machine, Slurm or Kubernetes",
     .choices = kServeEngines,
     .default_value = "local"},
    {.name = "kubeconfig",
     .value_name = "FILE",
     .help = "Where Kubernetes is and as whom to come; default: KUBECONFIG, else ~/.kube/config",
     .kind = ValueKind::kFile},
    {.name = "pod-template",
     .value_name = "FILE",
     .help = "What every pod has besides its rank: a Pod as YAML or JSON",
     .kind = ValueKind::kFile},
    {.name = "image",
     .value_name = "NAME",
     .help = "The container image of pods; default: the template's, else lockstep:latest"},
    {.name = "gang-wait",
     .value_name = "SECONDS",
     .help = "Give all places of a job in Kubernetes back for a while when only some of its ranks found one "
             "for so "
             "long; 0: never",
     .default_value = "300"},
    {.name = "page",
     .value_name = "PORT",
     .help = "Show the jobs to a browser on this machine; 0: a free port. If a service is already running, "
             "its page is opened"},
    {.name = "listen", .value_name = "HOST:PORT", .help = "Serve others too, over TLS; port 0: a free one"},
    {.name = "tls-cert",
     .value_name = "FILE",
     .help = "The certificate for --listen, with its chain, as PEM",
     .kind = ValueKind::kFile},
    {.name = "tls-key",
     .value_name = "FILE",
     .help = "The key of the certificate, as PEM",
     .kind = ValueKind::kFile},
    {.name = "make-token", .value_name = "OWNER", .help = "Make a token for this owner, print it and end"},
    {.name = "scopes",
     .value_name = "LIST",
     .help = "What the token allows: read, submit, admin",
     .default_value = "read,submit"},
    {.name = "expires", .value_name = "DAYS", .help = "How long the token holds", .default_value = "90"},
    {.name = "list-tokens", .help = "List the tokens, which cannot be seen again, and end"},
    {.name = "revoke-token", .value_name = "ID", .help = "Make a token worthless at once, and end"},
};

// Where a service is at work already, its page is what was asked for, unless it was to be another service.
Result<bool> attach_to_running(const Args& args, std::uint16_t page_port, Terminal& terminal) {
  for (const Flag& flag : kServeFlags) {
    if (flag.name != "page" && flag.name != "state" && args.has(flag.name)) return false;
  }
  const auto running = service::Client::connect_running(state_folder(args));
  if (!running.ok()) return false;
  const std::string address = TRY(open_page(running.value(), page_port));
  terminal.tell(fmt::format("lockstep: a service is already running in {}\nlockstep: the page is at {}\n",
                            state_folder(args).string(), address));
  return true;
}

Result<ExitStatus> run_serve(const Args& args, Terminal& terminal) {
  if (const auto handled = TRY(handle_tokens(args, terminal))) return *handled;
  const auto port_of_page = TRY(page_port(args));
  if (port_of_page && TRY(attach_to_running(args, *port_of_page, terminal))) return ExitStatus::kNothingFound;
  service::ServeOptions options;
  options.store = TRY(store_place(args));
  options.rest_after = std::chrono::seconds(TRY(number_of(args, "rest-after", "60 seconds; 0 never rests")));
  options.kept_for = std::chrono::days(TRY(number_of(args, "keep-days", "30 days; 0 keeps them for ever")));
  options.silence = std::chrono::seconds(TRY(number_of(args, "silence", "30 seconds; 0 never ends a job")));
  options.grow_after = std::chrono::seconds(TRY(number_of(args, "grow-after", "300 seconds; 0 never")));
  options.engine =
      service::engine_named(args.value("engine").value_or("local")).value_or(service::EngineKind::kLocal);
  options.kubernetes = {.kubeconfig = args.value("kubeconfig").value_or(""),
                        .pod_template = args.value("pod-template").value_or(""),
                        .image = args.value("image").value_or(""),
                        .gang_wait = std::chrono::seconds(
                            TRY(number_of(args, "gang-wait", "300 seconds; 0 holds places for ever")))};
  options.listen = TRY(listen_place(args));
  options.page_port = port_of_page;
  options.on_page_ready = [&](const std::string& address) {
    terminal.tell(fmt::format("lockstep: the page is at {}\n", address));
  };
  options.on_ready = [&](const std::filesystem::path& socket, std::uint16_t port) {
    terminal.tell(fmt::format("lockstep: serving at {}\n", socket.string()));
    if (options.listen) {
      terminal.tell(fmt::format("lockstep: serving at https://{}:{}\n", options.listen->host, port));
    }
  };
  options.on_trouble = [&](const Error& error) { terminal.tell(message_of(error)); };
  TRY(service::serve(options));
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kServeDescription[] = {
    "Takes training jobs and runs them on this machine: picks the configuration, starts the ranks when "
    "cores, memory "
    "and GPUs are free, records and watches them as 'lockstep run' does, and explains a failure. Jobs, "
    "attempts and "
    "logs stay in its folder.",
    "There is no need to start it: 'lockstep submit' does when none is there, and such a service ends by "
    "itself after a "
    "minute without work. Its API is HTTP with JSON over the Unix socket service.sock in its folder, for "
    "this user "
    "alone; GET /openapi.json describes it.",
    "With --engine slurm, or for jobs that ask for it, the ranks run on the nodes of a Slurm cluster: one "
    "Slurm job for each "
    "attempt. The service's folder must be on a disk that all nodes share.",
    "With --engine kubernetes the ranks are pods, made with what the kubeconfig says; nothing is installed "
    "in the cluster. "
    "Lockstep must be in their image at the same path as here, and the service's folder on a disk that all "
    "nodes have; a pod template says what else pods need.",
    "A failed job is started again when what was found says that it will go better: with other ports, "
    "another interface, "
    "more memory if allowed, a larger /dev/shm, or without a broken node. An error of the user's own is "
    "never tried twice.",
    "With --listen others reach it over TLS, each with a token that --make-token made for them: nobody sees "
    "or ends the jobs of another owner, unless the token's scope is admin. Jobs run as the user of the "
    "service, whoever sent them; give the scope submit to those who may do all that this user may.",
    "With --page a browser on this machine shows the jobs, their logs while they run, what was found and how "
    "to mend it, and takes new ones. The address that is printed holds a key: whoever has it is you.",
    "With --store the jobs of several services, each on a node of its own, are in one PostgreSQL database: "
    "every "
    "one lists them all, and each runs those that were handed in to it. Keep the password in ~/.pgpass or in "
    "the file that PGPASSFILE names.",
    "It may be killed at any moment. The jobs run on; the next service finds them again, loses nothing of "
    "what they "
    "print and starts none twice.",
};

constexpr Example kServeExamples[] = {
    {"lockstep serve", "Serve until it is told to end"},
    {"lockstep serve --engine slurm", "Run jobs on a Slurm cluster"},
    {"lockstep serve --store postgresql://lockstep@db.example/lockstep", "Keep jobs in PostgreSQL"},
    {"lockstep serve --engine kubernetes --pod-template pod.yaml", "Run jobs as pods of Kubernetes"},
    {"lockstep serve --page 8080", "And look at the jobs in a browser"},
    {"lockstep serve --make-token ann > ann.token", "Let Ann in"},
    {"lockstep serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem", "Serve others too"},
    {"curl --unix-socket ~/.local/state/lockstep/service.sock http://s/livez", "Whether it is there"},
};

}  // namespace

constinit const Verb kServeVerb{
    .name = "serve",
    .one_line = "take training jobs and run them",
    .usage = "serve [flags]",
    .group = VerbGroup::kService,
    .description = kServeDescription,
    .examples = kServeExamples,
    .flags = kServeFlags,
    .run = run_serve,
};

}  // namespace lockstep::cli
