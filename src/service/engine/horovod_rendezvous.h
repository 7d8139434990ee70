// The place where the ranks of a Horovod job meet: the key-value store over HTTP that horovodrun serves to
// Gloo. PUT and GET of /SCOPE/KEY; 404 until the value is there.
#pragma once

#include <memory>
#include <string>

#include "base/process/descriptor.h"
#include "base/result.h"

namespace lockstep::service {

class HorovodRendezvous {
 public:
  static Result<HorovodRendezvous> listen_on(int port, const std::string& address = "127.0.0.1");
  HorovodRendezvous(HorovodRendezvous&&) noexcept;
  ~HorovodRendezvous();

  void serve();  // in a thread, until this object goes

 private:
  struct Server;
  explicit HorovodRendezvous(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace lockstep::service
