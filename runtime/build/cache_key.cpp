#include "runtime/build/cache_key.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ir/error.h"

namespace runtime {
namespace {

std::optional<TrustedFolder::Content> readKey(const TrustedFolder& folder, const std::string& name) {
  return folder.read(name, sizeof(Key));
}

std::string randomBytes() {
  std::string bytes(sizeof(Key), '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    ir::fail(ir::ErrorKind::Input, "the system has no random bytes: {}", std::strerror(errno));
  return bytes;
}

}  // namespace

Key keyIn(const TrustedFolder& folder, const std::string& name) {
  auto content = readKey(folder, name);
  if (!content) {
    const int error = folder.create(name, randomBytes());
    if (error != 0 && error != EEXIST) ir::fail(ir::ErrorKind::Input, "it cannot be made: {}", std::strerror(error));
    content = readKey(folder, name);
  }
  const bool isGroups = folder.trust() == Trust::Group;
  const mode_t readableByOthers = isGroups ? 07 : 077;
  if (!content || content->bytes.size() != sizeof(Key) || (content->mode & readableByOthers) != 0)
    ir::fail(ir::ErrorKind::Input, "it is not a file of {} bytes and mode {} that belongs to the {}; remove it to get a new one",
             sizeof(Key), isGroups ? "0640" : "0600", isGroups ? "group" : "user");
  Key key{};
  std::copy_n(content->bytes.begin(), key.size(), key.begin());
  return key;
}

Key keyOf(const std::string& path) {
  const std::filesystem::path file(path);
  const TrustedFolder folder(file.has_parent_path() ? file.parent_path().string() : ".", Trust::User);
  return keyIn(folder, file.filename().string());
}

}  // namespace runtime
