//! What a child process gives up before it looks at an upload. There is no way back from any of it.

mod paths;
mod system_calls;

use std::{fs, io};

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal, getrlimit, setrlimit};

pub(super) use paths::SYSTEM;

use crate::job::{Command, Limits};
use crate::{Failure, Sandbox, Walls};

/// Threads that a program may start: an encoder takes a few for each core.
const THREADS: u64 = 512;

/// Ends with its parent, because then the result is of no use; and is the first to go when memory is short.
///
/// To the kernel the parent is the *thread* that started us, so that must be one which stays.
pub(super) fn begin() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // Containers may forbid it, and it protects others, not us.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

/// The files that are open are all there is from now on: no others, no sockets, no processes, no threads.
pub(super) fn enter(limits: &Limits, file_bytes: u64, sandbox: Sandbox) -> Result<Option<Walls>, Failure> {
    limit_resources(limits, file_bytes)?;
    // First comes a signal that names the reason, later SIGKILL.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds.saturating_add(2))?;
    if sandbox == Sandbox::Off {
        return Ok(None);
    }
    let walls = paths::close(&[], &[], &[])?;
    // Below the lowest number that a new descriptor could get.
    limit(Resource::Nofile, 0)?;
    // Root is exempt from it, and stopped by the filter.
    limit(Resource::Nproc, 0)?;
    system_calls::allow_work_on_open_files()?;
    Ok(Some(walls))
}

/// For a program that needs threads, and opens its files itself: it reads the system's libraries and what the command
/// names, writes what the command names, reaches no network and no other process.
pub(super) fn enter_to_run(command: &Command, limits: &Limits, sandbox: Sandbox) -> Result<(), Failure> {
    limit_resources(limits, command.output_bytes)?;
    // ffmpeg takes the signal for a request to finish early.
    limit_cpu(limits.cpu_seconds, limits.cpu_seconds)?;
    if sandbox == Sandbox::Off {
        return Ok(());
    }
    limit(Resource::Nproc, threads_of_this_user()?.saturating_add(THREADS))?;
    paths::close(&command.libraries(), &command.reads, &command.writes)?;
    system_calls::deny_reaching_others()?;
    Ok(())
}

/// Less time than [`enter`] gave, once it is known what the work is; and if it is much, others come first.
pub(super) fn expect(cpu_seconds: u64) -> io::Result<()> {
    let given = getrlimit(Resource::Cpu);
    let soft = given.current.map_or(cpu_seconds, |most| most.min(cpu_seconds));
    setrlimit(Resource::Cpu, Rlimit { current: Some(soft), ..given })?;
    if cpu_seconds >= MUCH {
        rustix::process::setpriority_process(None, LOW_PRIORITY)?;
    }
    Ok(())
}

/// An image of 20 megapixels.
const MUCH: u64 = 15;
const LOW_PRIORITY: i32 = 10;

fn limit_resources(limits: &Limits, file_bytes: u64) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, file_bytes)?;
    limit(Resource::As, address_space()?.saturating_add(limits.memory))
}

fn limit_cpu(soft: u64, hard: u64) -> io::Result<()> {
    Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(soft), maximum: Some(hard) })?)
}

/// A limit that is lower already stays.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let value = getrlimit(resource).maximum.map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Bytes of address space in use: program, libraries, and what the allocator set aside.
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
