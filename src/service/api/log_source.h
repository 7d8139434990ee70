// What a job prints, from any position on, as it is printed or as far as it has come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/message.h"
#include "service/job_service.h"

namespace lockstep::service {

enum class LogForm : std::uint8_t { kEvents, kJsonLines, kText };

struct LogWish {
  std::string job_id;
  LogForm form = LogForm::kText;
  bool follows = false;
  std::optional<int> rank;
  int attempt = 1;            // to begin with
  std::int64_t position = 0;  // in it
  bool only_this_attempt = false;
};

// "2.1307": attempt and position, as the id of an event names them.
bool take_position(std::string_view id, LogWish& wish);

std::unique_ptr<BodySource> make_log_source(JobService& service, const LogWish& wish);

}  // namespace lockstep::service
