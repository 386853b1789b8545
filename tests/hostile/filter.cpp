#include "tests/hostile/filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

namespace hostile {

#if defined(__x86_64__)
namespace {

constexpr int trapped[] = {
    // files and folders
    SYS_creat, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_link,
    SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_mknod, SYS_mknodat, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_chmod,
    SYS_fchmod, SYS_fchmodat, SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_utime, SYS_utimes, SYS_utimensat,
    SYS_futimesat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_mount, SYS_umount2, SYS_chroot, SYS_chdir, SYS_fchdir,
    SYS_umask,
    // programs and other processes
    SYS_execve, SYS_execveat, SYS_fork, SYS_vfork, SYS_kill, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_unshare,
    SYS_setns,
    // connections
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_sendto, SYS_sendmsg,
    // memory and messages that processes share
    SYS_memfd_create, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_msgget, SYS_mq_open, SYS_mq_unlink,
    // system calls that no filter sees
    SYS_io_uring_setup, SYS_bpf};

constexpr unsigned argumentOffset(int number) { return offsetof(seccomp_data, args) + static_cast<unsigned>(number) * 8; }

/// The filter's program, instruction by instruction. The accumulator has the system call's number between its rules.
class Program {
 public:
  Program() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    skipUnless(BPF_JEQ, AUDIT_ARCH_X86_64, 1, /*otherwise=*/true);
    end(SECCOMP_RET_KILL_PROCESS);
    loadNumber();
    skipUnless(BPF_JGE, 0x40000000, 1);  // the numbers of another interface
    end(SECCOMP_RET_TRAP);
  }

  void trap(int number) {
    skipUnless(BPF_JEQ, static_cast<unsigned>(number), 1);
    end(SECCOMP_RET_TRAP);
  }
  /// Answers as a kernel that does not have the system call: its arguments lie in memory, which a filter does not see.
  void deny(int number) {
    skipUnless(BPF_JEQ, static_cast<unsigned>(number), 1);
    end(SECCOMP_RET_ERRNO | ENOSYS);
  }
  /// Traps the system call if any of the bits of an argument is set, or if none is.
  void trapIf(int number, int argument, unsigned bits, bool set = true) {
    skipUnless(BPF_JEQ, static_cast<unsigned>(number), 4);
    add(BPF_LD | BPF_W | BPF_ABS, argumentOffset(argument));
    skipUnless(BPF_JSET, bits, 1, /*otherwise=*/!set);
    end(SECCOMP_RET_TRAP);
    loadNumber();
  }

  bool install() {
    end(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int what, unsigned value) { code_.push_back({static_cast<unsigned short>(what), 0, 0, value}); }
  void loadNumber() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }
  void end(unsigned verdict) { add(BPF_RET | BPF_K, verdict); }
  /// Skips so many instructions unless the comparison holds; with `otherwise`, if it does.
  void skipUnless(int comparison, unsigned value, unsigned char count, bool otherwise = false) {
    const auto code = static_cast<unsigned short>(BPF_JMP | comparison | BPF_K);
    code_.push_back(
        {code, otherwise ? count : static_cast<unsigned char>(0), otherwise ? static_cast<unsigned char>(0) : count, value});
  }

  std::vector<sock_filter> code_;
};

void (*report)(int number) = nullptr;

void onSignal(int, siginfo_t* info, void*) { report(info->si_syscall); }

}  // namespace

bool trapSystemCalls(void (*onTrap)(int number)) {
  report = onTrap;
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
  Program program;
  for (const int number : trapped) program.trap(number);
  constexpr unsigned changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  program.trapIf(SYS_open, 1, changes);
  program.trapIf(SYS_openat, 2, changes);
  program.trapIf(SYS_clone, 0, CLONE_THREAD, /*set=*/false);
  program.deny(SYS_openat2);
  program.deny(SYS_clone3);
  return program.install();
}
#else
bool trapSystemCalls(void (*)(int)) { return false; }
#endif

}  // namespace hostile
