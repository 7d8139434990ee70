// A request as the HTTP library read it, in our terms.
#pragma once

#include <optional>
#include <sys/types.h>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "service/http/message.h"

namespace lockstep::service {

// Without its body. Nothing: the target is not sound.
std::optional<Request> request_from(
    const boost::beast::http::request<boost::beast::http::string_body>& message, std::optional<uid_t> peer);

// Who is at the other end of a Unix socket.
std::optional<uid_t> peer_of(int socket);

}  // namespace lockstep::service
