//! seccomp: which system calls a child can still make.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use crate::Failure;

/// Only computing, memory, and reading and writing of open files.
pub(super) fn allow_only_open_files() -> Result<(), Failure> {
    let mut rules = always(ALLOWED);
    // Used to abort; it may signal only itself.
    rules.insert(libc::SYS_tgkill, vec![when(&[(0, SeccompCmpOp::Eq, std::process::id().into())])?]);
    // It may lower its time limit and its priority.
    let own_time = [(0, SeccompCmpOp::Eq, 0), (1, SeccompCmpOp::Eq, libc::RLIMIT_CPU.into())];
    rules.insert(libc::SYS_prlimit64, vec![when(&own_time)?]);
    let own_priority = [(0, SeccompCmpOp::Eq, libc::PRIO_PROCESS.into()), (1, SeccompCmpOp::Eq, 0)];
    rules.insert(libc::SYS_setpriority, vec![when(&own_priority)?]);
    apply(rules, refuse(libc::EPERM), SeccompAction::Allow)
}

/// No sockets, no other processes, nothing that changes the system or file permissions; threads, but no new processes.
pub(super) fn deny_access_to_others() -> Result<(), Failure> {
    // Its flags are in memory, which a filter cannot read; the C library then falls back to `clone`.
    apply(always([libc::SYS_clone3]), SeccompAction::Allow, refuse(libc::ENOSYS))?;
    let mut rules = always(DENIED);
    rules.extend(always(DENIED_BY_NUMBER));
    #[cfg(target_arch = "x86_64")]
    rules.extend(always(DENIED_ON_X86));
    let not_a_thread = SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64);
    rules.insert(libc::SYS_clone, vec![when(&[(0, not_a_thread, 0)])?]);
    let other_than = |own: u64| when(&[(0, SeccompCmpOp::Ne, own)]);
    for signal in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(signal, vec![other_than(std::process::id().into())?]);
    }
    // Zero is the calling process.
    for of_a_process in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
        rules.insert(of_a_process, vec![other_than(0)?]);
    }
    // The same calls by their x32 numbers.
    #[cfg(target_arch = "x86_64")]
    {
        rules.extend(rules.clone().into_iter().map(|(number, rules)| (number | X32, rules)));
        rules.extend(always(DENIED_ON_X32.map(|number| number | X32)));
    }
    apply(rules, SeccompAction::Allow, refuse(libc::EPERM))
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn always(system_calls: impl IntoIterator<Item = libc::c_long>) -> Rules {
    system_calls.into_iter().map(|number| (number, Vec::new())).collect()
}

/// All of these argument comparisons hold.
fn when(comparisons: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, Failure> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    };
    let conditions = comparisons.iter().map(condition).collect::<Result<_, _>>();
    conditions.and_then(SeccompRule::new).map_err(no_filter)
}

fn refuse(errno: libc::c_int) -> SeccompAction {
    SeccompAction::Errno(errno as u32)
}

fn apply(rules: Rules, otherwise: SeccompAction, listed: SeccompAction) -> Result<(), Failure> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(no_filter)?;
    let filter = SeccompFilter::new(rules, otherwise, listed, architecture).map_err(no_filter)?;
    let program = BpfProgram::try_from(filter).map_err(no_filter)?;
    seccompiler::apply_filter(&program).map_err(no_filter)
}

fn no_filter(error: impl std::fmt::Display) -> Failure {
    Failure::NoSandbox(format!("seccomp answers: {error}"))
}

const ALLOWED: [libc::c_long; 36] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fallocate,
    libc::SYS_fdatasync,
    libc::SYS_fstat,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_rseq,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Landlock protects the content of files, but not their permissions, owners, dates and attributes.
const DENIED: [libc::c_long; 89] = [
    // Network.
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_socket,
    libc::SYS_socketpair,
    // Other processes.
    libc::SYS_ioprio_set,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_setpriority,
    libc::SYS_tkill,
    // Inter-process communication.
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmat,
    libc::SYS_shmget,
    // Permissions, owners, dates, attributes and lengths of files; unnamed files.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_truncate,
    libc::SYS_utimensat,
    // Mounts and namespaces.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // The kernel and the machine.
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_perf_event_open,
    libc::SYS_personality,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
];

/// `fchmodat2`, `setxattrat`, `removexattrat`, `open_tree_attr`, `file_setattr`: not in `libc` yet, with the same
/// numbers on all architectures.
const DENIED_BY_NUMBER: [libc::c_long; 5] = [452, 463, 466, 467, 469];

#[cfg(target_arch = "x86_64")]
const DENIED_ON_X86: [libc::c_long; 12] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_fork,
    libc::SYS_futimesat,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_lchown,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_vfork,
];

/// The bit of the x32 ABI (64-bit registers, 32-bit addresses), which some kernels support.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// The x32 numbers of `ptrace`, `rt_sigqueueinfo`, `kexec_load`, `rt_tgsigqueueinfo`, `process_vm_readv` and
/// `process_vm_writev`.
#[cfg(target_arch = "x86_64")]
const DENIED_ON_X32: [i64; 6] = [521, 524, 528, 536, 539, 540];
