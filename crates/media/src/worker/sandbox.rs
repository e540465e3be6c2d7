//! The restrictions that a child process applies to itself before it reads an upload. None of them can be undone.

mod paths;
mod system_calls;

use std::{fs, io};

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal, getrlimit, setrlimit};

pub(super) use paths::SYSTEM_PATHS;

use crate::job::{Command, Limits};
use crate::{Failure, Sandbox, SandboxFeatures};

/// Threads that a program may start: an encoder uses a few for each core.
const THREADS: u64 = 512;

/// Makes the process end with its parent, as its result would be of no use, and be killed first when memory is short.
///
/// To the kernel the parent is the *thread* that started it, so that must be one that stays alive.
pub(super) fn begin() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // Containers may forbid it; it protects other processes, not this one.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

/// From now on, only the open files can be used: no others, no sockets, no processes, no threads.
pub(super) fn enter(
    limits: &Limits,
    file_bytes: u64,
    sandbox: Sandbox,
) -> Result<Option<SandboxFeatures>, Failure> {
    limit_resources(limits, file_bytes)?;
    // First a signal that identifies the reason, later SIGKILL.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds.saturating_add(2))?;
    if sandbox == Sandbox::Off {
        return Ok(None);
    }
    let features = paths::restrict_paths(&[], &[], &[])?;
    // Below the lowest number that a new descriptor could get.
    limit(Resource::Nofile, 0)?;
    // Root is exempt from this limit, but stopped by the filter.
    limit(Resource::Nproc, 0)?;
    system_calls::allow_only_open_files()?;
    Ok(Some(features))
}

/// For a program that needs threads and opens its files itself: it can read the system's libraries and the files in the
/// command, write the files in the command, and has no access to the network and other processes.
pub(super) fn enter_for_program(command: &Command, limits: &Limits, sandbox: Sandbox) -> Result<(), Failure> {
    limit_resources(limits, command.output_bytes)?;
    // ffmpeg treats the signal as a request to finish early.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds)?;
    // It converts videos, for minutes.
    lower_priority()?;
    if sandbox == Sandbox::Off {
        return Ok(());
    }
    limit(Resource::Nproc, threads_of_this_user()?.saturating_add(THREADS))?;
    paths::restrict_paths(&command.libraries(), &command.reads, &command.writes)?;
    system_calls::deny_access_to_others()?;
    Ok(())
}

/// Lowers the time limit of [`enter`] once the cost of the work is known, and the priority if it is much.
pub(super) fn limit_to_expected(cpu_seconds: u64) -> io::Result<()> {
    let given = getrlimit(Resource::Cpu);
    let soft = given.current.map_or(cpu_seconds, |most| most.min(cpu_seconds));
    setrlimit(Resource::Cpu, Rlimit { current: Some(soft), ..given })?;
    if cpu_seconds >= LOW_PRIORITY_CPU_SECONDS {
        lower_priority()?;
    }
    Ok(())
}

pub(super) fn lower_priority() -> io::Result<()> {
    Ok(rustix::process::setpriority_process(None, LOW_PRIORITY)?)
}

/// An image of 20 megapixels.
const LOW_PRIORITY_CPU_SECONDS: u64 = 15;
/// The lowest: a worker begins with the priority of the threads that start it, which is low already.
const LOW_PRIORITY: i32 = 19;

fn limit_resources(limits: &Limits, file_bytes: u64) -> io::Result<()> {
    // Before the process loses access to its own files in /proc: on kernels before 6.4 the page size is read from one.
    let address_space = address_space()?;
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, file_bytes)?;
    limit(Resource::As, address_space.saturating_add(limits.memory))
}

fn limit_cpu(soft: u64, hard: u64) -> io::Result<()> {
    Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(soft), maximum: Some(hard) })?)
}

/// A lower existing limit is kept.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let value = getrlimit(resource).maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Bytes of address space in use: program, libraries, and reservations of the allocator.
fn address_space() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/statm")?;
    let pages = status.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
    let pages = pages.ok_or_else(|| io::Error::other("/proc/self/statm is not as documented"))?;
    Ok(pages * rustix::param::page_size() as u64)
}

/// The kernel counts the threads of all processes of a user against the limit of each.
fn threads_of_this_user() -> io::Result<u64> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let processes = fs::read_dir("/proc")?.filter_map(Result::ok);
    let states = processes.filter_map(|process| fs::read_to_string(process.path().join("status")).ok());
    let field = |state: &str, name: &str| {
        let line = state.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next().map(str::to_owned)
    };
    let ours = states.filter(|state| field(state, "Uid:").as_ref() == Some(&uid));
    Ok(ours.filter_map(|state| field(&state, "Threads:")?.parse::<u64>().ok()).sum())
}
