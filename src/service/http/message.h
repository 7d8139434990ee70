// A request and its answer, without the library that carries them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "service/job/spec_fields.h"

namespace lockstep::service {

struct Request {
  std::string method;
  std::string path;                            // decoded, without the query
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::optional<uid_t> peer;  // who is at the other end of a Unix socket
};

// An answer that comes bit by bit for as long as there is something to tell.
class BodySource {
 public:
  enum class Next : std::uint8_t { kData, kWait, kEnd };

  virtual ~BodySource() = default;
  // Never more than some 100 KiB at a time: a slow reader costs no memory.
  virtual Next next(std::string& bytes) = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::unique_ptr<BodySource> source = {};  // in place of body
};

// "a=b&c=d%20e". Nothing: the text is no query.
std::optional<std::map<std::string, std::string>> parse_query(std::string_view text);
std::optional<std::string> percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text);  // as a value of a query

// A refusal as RFC 9457 has it, with a stable code and what to do next.

struct Problem {
  int status = 500;
  std::string_view code;  // "job_not_found"; never used for anything else again
  std::string title;
  std::string detail = {};
  std::string hint = {};
  std::vector<FieldFault> errors = {};
};

Response answer(const Problem& problem);

// The answer of another server, out of all bytes that it sent before it closed the connection.
struct WholeAnswer {
  int status = 0;
  std::string body;

  bool is_good() const { return status >= 200 && status < 300; }
};

// None: it was cut short, or is no answer.
std::optional<WholeAnswer> whole_answer_in(std::string_view bytes);

}  // namespace lockstep::service
