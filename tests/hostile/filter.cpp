#include "tests/hostile/filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <csignal>

#include "opbench/process/system_calls.h"

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

void (*report)(int number) = nullptr;

void onSignal(int, siginfo_t* info, void*) { report(info->si_syscall); }

}  // namespace

bool trapSystemCalls(void (*onTrap)(int number)) {
  report = onTrap;
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
  opbench::SystemCallFilter filter(SECCOMP_RET_TRAP);
  for (const int number : trapped) filter.refuse(number);
  constexpr unsigned changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  filter.refuseIf(SYS_open, 1, changes);
  filter.refuseIf(SYS_openat, 2, changes);
  filter.refuseIf(SYS_clone, 0, CLONE_THREAD, /*set=*/false);
  filter.hide(SYS_openat2);
  filter.hide(SYS_clone3);
  return filter.install();
}
#else
bool trapSystemCalls(void (*)(int)) { return false; }
#endif

}  // namespace hostile
