#include "opbench/process/fence.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

#include "inputs/descriptor.h"
#include "opbench/process/system_calls.h"

namespace opbench {
namespace {

// Landlock's interface (linux/landlock.h), which headers of older systems lack or know less of.
constexpr long createRuleset = 444, addRule = 445, restrictSelf = 446;  // system calls, the same on all architectures
constexpr unsigned askVersion = 1;
constexpr int beneathPath = 1;
constexpr uint64_t writeFile = 1 << 1, removeFolder = 1 << 4, removeFile = 1 << 5, makeDevice = 1 << 6, makeFolder = 1 << 7,
                   makeFile = 1 << 8, makeSocket = 1 << 9, makePipe = 1 << 10, makeBlockDevice = 1 << 11, makeLink = 1 << 12,
                   moveAcross = 1 << 13, truncate = 1 << 14;
constexpr uint64_t bindPort = 1 << 0, connectPort = 1 << 1;
constexpr uint64_t abstractSockets = 1 << 0, signals = 1 << 1;

struct Ruleset {
  uint64_t files = 0, net = 0, scoped = 0;
};

struct [[gnu::packed]] PathRule {
  uint64_t allowed = 0;
  int32_t folder = -1;
};

/// What Landlock of a version can restrict: older ones cannot keep a file from being cut or moved, ports from being used, other
/// processes from being signalled.
Ruleset rulesetOf(long version) {
  Ruleset set{writeFile | removeFolder | removeFile | makeDevice | makeFolder | makeFile | makeSocket | makePipe |
                  makeBlockDevice | makeLink,
              0, 0};
  if (version >= 2) set.files |= moveAcross;
  if (version >= 3) set.files |= truncate;
  if (version >= 4) set.net = bindPort | connectPort;
  if (version >= 6) set.scoped = abstractSockets | signals;
  return set;
}

void allow(const inputs::Descriptor& ruleset, const std::string& path, uint64_t rights) {
  const inputs::Descriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  const PathRule rule{rights, opened.number()};
  if (!path.empty() && opened.isOpen()) ::syscall(addRule, ruleset.number(), beneathPath, &rule, 0);
}

/// What a process opens to use a GPU, where the driver names its threads as well, and the device that takes everything.
std::vector<std::string> devices() {
  std::vector<std::string> paths{"/dev/null", "/proc/self/task"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error))
    if (entry.path().filename().string().starts_with("nvidia")) paths.push_back(entry.path());
  return paths;
}

}  // namespace

bool fenceFiles(const std::vector<std::string>& folders) {
  constexpr long leastVersion = 3;  // of earlier ones a file can be cut
  const long version = ::syscall(createRuleset, nullptr, 0, askVersion);
  if (version < leastVersion) return false;
  const Ruleset set = rulesetOf(version);
  const size_t size = version >= 6 ? sizeof set : version >= 4 ? 2 * sizeof set.files : sizeof set.files;
  const inputs::Descriptor ruleset(static_cast<int>(::syscall(createRuleset, &set, size, 0)));
  if (!ruleset.isOpen()) return false;
  for (const std::string& folder : folders) allow(ruleset, folder, set.files);
  for (const std::string& device : devices())
    allow(ruleset, device, std::filesystem::is_directory(device) ? set.files : writeFile | truncate);
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(restrictSelf, ruleset.number(), 0) == 0;
}

#if defined(__x86_64__)
namespace {

constexpr int refused[] = {
    // programs and other processes
    SYS_execve, SYS_execveat, SYS_fork, SYS_vfork, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open,
    SYS_pidfd_send_signal, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill, SYS_unshare, SYS_setns,
    // connections
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    // modes, owners and attributes of files by their names, which Landlock leaves alone
    SYS_chmod, SYS_fchmodat, SYS_chown, SYS_lchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, SYS_utime, SYS_utimes, SYS_futimesat, SYS_mount, SYS_umount2, SYS_chroot,
    // messages that processes share, and the kernel's keys
    SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open, SYS_mq_unlink, SYS_add_key, SYS_request_key, SYS_keyctl,
    // system calls that no filter sees
    SYS_io_uring_setup, SYS_bpf};

}  // namespace

bool fenceCalls() {
  SystemCallFilter filter(SECCOMP_RET_ERRNO | EPERM);
  for (const int number : refused) filter.refuse(number);
  filter.refuseIf(SYS_clone, 0, CLONE_THREAD, /*set=*/false);
  filter.hide(SYS_clone3);
  const auto self = static_cast<unsigned>(::getpid());
  filter.refuseUnless(SYS_kill, 0, self);
  filter.refuseUnless(SYS_tgkill, 0, self);
  return filter.install();
}
#else
bool fenceCalls() { return false; }
#endif

std::string missingFences(bool hasFiles, bool hasCalls) {
  if (hasFiles) return hasCalls ? "" : "seccomp";
  return hasCalls ? "Landlock" : "Landlock and seccomp";
}

}  // namespace opbench
