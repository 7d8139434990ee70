#include "report/html/packed.h"

#include <zlib.h>

#include "base/check.h"
#include "base/escape.h"

namespace lockstep::html {

std::string packed(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string deflated(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                               Z_DEFAULT_COMPRESSION);
  CHECK(status == Z_OK, "a buffer of compressBound() is large enough");
  deflated.resize(size);
  return base::to_base64(deflated);
}

}  // namespace lockstep::html
