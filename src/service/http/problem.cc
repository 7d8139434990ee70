#include "service/http/problem.h"

namespace lockstep::service {

Response answer(const Problem& problem) {
  base::Json json = {{"type", "about:blank"}, {"title", problem.title}, {"status", problem.status}};
  if (!problem.detail.empty()) json["detail"] = problem.detail;
  json["code"] = problem.code;
  if (!problem.hint.empty()) json["hint"] = problem.hint;
  if (!problem.errors.empty()) {
    base::Json errors = base::Json::array();
    for (const FieldFault& fault : problem.errors) {
      errors.push_back({{"pointer", fault.pointer}, {"detail", fault.detail}});
    }
    json["errors"] = errors;
  }
  return {.status = problem.status,
          .content_type = "application/problem+json",
          .body = base::to_text(json, base::JsonLayout::kOneLine)};
}

}  // namespace lockstep::service
