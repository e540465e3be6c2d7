//! What a child process gives up before it looks at an upload. There is no way back from any of it.

use std::collections::BTreeMap;
use std::{fs, io};

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use crate::job::Limits;

/// Whoever waits for the answer is gone: so is the reason to work.
///
/// The kernel means the parent's *thread* that started us, so that must be one which stays.
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// The files that are open are all there is from now on: no others, no sockets, no processes, no threads.
pub(super) fn enter(limits: &Limits, file_bytes: u64) -> io::Result<()> {
    limit_resources(limits)?;
    // First comes a signal that names the reason, later SIGKILL.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds.saturating_add(2))?;
    limit(Resource::Fsize, file_bytes)?;
    // Below the lowest number that a new descriptor could get.
    limit(Resource::Nofile, 0)?;
    // Root is exempt from it, and stopped by the filter.
    limit(Resource::Nproc, 0)?;
    let mut allowed = rules(&ALLOWED);
    // How a process aborts; it may signal nobody but itself.
    allowed.insert(libc::SYS_tgkill, vec![first_argument_is(std::process::id())?]);
    apply(allowed, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow);
    Ok(())
}

/// For a program that needs threads, and files that it opens itself: no network, no looking into other processes.
pub(super) fn enter_to_run(limits: &Limits) -> io::Result<()> {
    limit_resources(limits)?;
    // ffmpeg takes the signal for a request to finish early.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds)?;
    apply(rules(&DENIED), SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32));
    Ok(())
}

fn limit_resources(limits: &Limits) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limit(Resource::Core, 0)?;
    limit(Resource::As, address_space()?.saturating_add(limits.memory))
}

fn limit_cpu(soft: u64, hard: u64) -> io::Result<()> {
    Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(soft), maximum: Some(hard) })?)
}

/// A limit that is lower already stays.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let value = rustix::process::getrlimit(resource).maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Bytes of address space in use: program, libraries, and what the allocator set aside.
fn address_space() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/statm")?;
    let pages = status.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| io::Error::other("/proc/self/statm is not as documented"))?;
    Ok(pages * rustix::param::page_size() as u64)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(system_calls: &[libc::c_long]) -> Rules {
    system_calls.iter().map(|&number| (number, Vec::new())).collect()
}

fn first_argument_is(value: u32) -> io::Result<SeccompRule> {
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value.into())
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(io::Error::other)
}

/// Where the kernel takes no such filter, the limits above stand alone.
fn apply(rules: Rules, otherwise: SeccompAction, listed: SeccompAction) {
    let Ok(architecture) = TargetArch::try_from(std::env::consts::ARCH) else { return };
    let program = SeccompFilter::new(rules, otherwise, listed, architecture).and_then(BpfProgram::try_from);
    if let Ok(program) = program {
        let _ = seccompiler::apply_filter(&program);
    }
}

/// What computing, memory, and reading and writing of open files need.
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

const DENIED: [libc::c_long; 17] = [
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_add_key,
    libc::SYS_bind,
    libc::SYS_bpf,
    libc::SYS_connect,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_listen,
    libc::SYS_mount,
    libc::SYS_perf_event_open,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_request_key,
    libc::SYS_socket,
    libc::SYS_unshare,
];
