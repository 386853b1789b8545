#include "runtime/hardware_lock.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace runtime {

HardwareLock::HardwareLock(const std::string& hardware) {
  if (hardware.empty()) return;
  // A name that begins with a zero is in no folder.
  const std::string name = std::string(1, '\0') + "opbench " + hardware;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof address.sun_path);
  std::copy_n(name.begin(), size, address.sun_path);
  socket_ = inputs::Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_.isOpen()) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  if (::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), length) != 0) isHeldElsewhere_ = errno == EADDRINUSE;
}

}  // namespace runtime
