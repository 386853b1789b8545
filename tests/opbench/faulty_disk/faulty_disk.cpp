// Preloaded into a program, it has the disk fail under its results. FAULTY_DISK says how: `write 28 3` has the third write() to a
// file `*.jsonl` fail with ENOSPC and so on, from then on; other calls are fsync, fdatasync and rename.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

/// What is to fail, and how often it works before.
struct Plan {
  std::array<char, 16> call{};
  int error = 0, first = 0;

  Plan() {
    const char* text = std::getenv("FAULTY_DISK");
    if (text != nullptr) std::sscanf(text, "%15s %d %d", call.data(), &error, &first);
  }
};

bool isResults(std::string_view path) { return path.find(".jsonl") != std::string_view::npos; }

bool isResults(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return ::readlink(link.c_str(), path.data(), path.size() - 1) > 0 && isResults(std::string_view(path.data()));
}

/// Whether a call on results fails this time.
bool fails(std::string_view call) {
  static const Plan plan;
  static int calls = 0;
  if (call != plan.call.data() || ++calls < plan.first) return false;
  errno = plan.error;
  return true;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return isResults(file) && fails("write") ? -1 : real(file, bytes, count);
}

int fdatasync(int file) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return isResults(file) && fails("fdatasync") ? -1 : real(file);
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return isResults(file) && fails("fsync") ? -1 : real(file);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return isResults(to) && fails("rename") ? -1 : real(from, to);
}
}
