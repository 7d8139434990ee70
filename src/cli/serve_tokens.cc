#include "cli/serve_tokens.h"

#include <fmt/format.h>

#include "base/text_fields.h"
#include "cli/store_flag.h"
#include "service/job/job_id.h"
#include "service/tokens.h"

namespace lockstep::cli {
namespace {

constexpr int kMostDays = 3650;

Result<void> make(const Args& args, Terminal& terminal) {
  const std::string text = *args.value("expires");
  const auto days = base::number_in<int>(text);
  if (!days || *days < 1 || *days > kMostDays) {
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

Result<void> list(const Args& args, Terminal& terminal) {
  const service::StorePlace place = TRY(store_place(args));
  for (const service::Token& token : TRY(service::list_tokens(place))) {
    const bool is_over = token.expires_ms <= service::now_in_ms();
    TRY(terminal.write(fmt::format("{}  {:<20}  {:<18}  {} {}\n", token.id, token.owner,
                                   service::scopes_of(token), is_over ? "ended" : "until",
                                   service::rfc3339(token.expires_ms))));
  }
  return {};
}

}  // namespace

Result<std::optional<ExitStatus>> handle_tokens(const Args& args, Terminal& terminal) {
  if (args.has("make-token")) {
    TRY(make(args, terminal));
  } else if (args.has("list-tokens")) {
    TRY(list(args, terminal));
  } else if (args.has("revoke-token")) {
    const service::StorePlace place = TRY(store_place(args));
    TRY(service::revoke_token(place, *args.value("revoke-token")));
  } else {
    return std::optional<ExitStatus>();
  }
  return std::optional(ExitStatus::kNothingFound);
}

}  // namespace lockstep::cli
