//! The child process: reads one order from its standard input, writes one answer to its standard output, and exits.
//!
//! It opens the files, then gives up everything else (`sandbox`), and only then reads their content.

mod sandbox;

use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU32;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::job::{
    Answer, Command, EXIT_CANNOT_RUN, EXIT_NO_SANDBOX, Limits, Order, READY, SandboxCheck, Work,
};
use crate::{Done, Failure, Icon, Job, MediaKind, Sandbox, SmallerCopy, image, pdf, video};

/// The files of an upload, as available to a decoder.
pub struct Task {
    pub kind: MediaKind,
    /// Also open for writing if it is a video.
    pub input: File,
    /// `None` for a video.
    pub output: Option<File>,
    pub limits: Limits,
}

/// The main function of the program when it is started as a child. Does nothing else.
pub fn main() -> ExitCode {
    serve(process)
}

/// [`main`] with other work, for tests that need a compromised decoder.
#[doc(hidden)]
pub fn serve(work: fn(Task) -> Result<Done, Failure>) -> ExitCode {
    // If even that fails, there is no way to report it.
    run_order(work).unwrap_or(ExitCode::FAILURE)
}

fn run_order(work: fn(Task) -> Result<Done, Failure>) -> io::Result<ExitCode> {
    sandbox::begin()?;
    writeln!(io::stdout(), "{READY}")?;
    let Order { work: wanted, limits, sandbox } = serde_json::from_str(&read_line()?)?;
    let answer = match wanted {
        Work::Process(job) => {
            let answer: Answer<Done> = open(job, limits, sandbox).and_then(work);
            serde_json::to_string(&answer)
        }
        Work::Shrink(job, widths) => {
            let answer: Answer<Vec<SmallerCopy>> =
                open(job, limits, sandbox).and_then(|task| shrink(task, &widths));
            serde_json::to_string(&answer)
        }
        Work::Icon(job, icon) => {
            let answer: Answer<()> = open(job, limits, sandbox).and_then(|task| make_icon(task, icon));
            serde_json::to_string(&answer)
        }
        Work::SandboxCheck => {
            let check: SandboxCheck = sandbox::enter(&limits, limits.memory, sandbox);
            serde_json::to_string(&check)
        }
        Work::Run(command) => {
            let failure = run(command, limits, sandbox);
            writeln!(io::stderr(), "{failure}")?;
            let code =
                if matches!(failure, Failure::NoSandbox(_)) { EXIT_NO_SANDBOX } else { EXIT_CANNOT_RUN };
            return Ok(ExitCode::from(code));
        }
    };
    writeln!(io::stdout(), "{}", answer?)?;
    Ok(ExitCode::SUCCESS)
}

/// Byte by byte: the bytes after the line may be for the program that is executed.
fn read_line() -> io::Result<String> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    let mut input = io::stdin().lock();
    while line.last() != Some(&b'\n') {
        input.read_exact(&mut byte)?;
        line.push(byte[0]);
    }
    String::from_utf8(line).map_err(io::Error::other)
}

fn open(job: Job, limits: Limits, sandbox: Sandbox) -> Result<Task, Failure> {
    let in_place = matches!(job.kind, MediaKind::Video(_));
    let input = File::options().read(true).write(in_place).open(&job.input)?;
    let output = if in_place { None } else { Some(File::create(&job.output)?) };
    // A video never grows; rewritten files fit into memory.
    let file_bytes = if in_place { input.metadata()?.len() } else { limits.memory };
    sandbox::enter(&limits, file_bytes, sandbox)?;
    Ok(Task { kind: job.kind, input, output, limits })
}

/// Called when the cost of the work is known: lowers the time limit, and the priority if it is much.
pub(crate) fn limit_to_expected(cpu_seconds: u64) -> Result<(), Failure> {
    Ok(sandbox::limit_to_expected(cpu_seconds)?)
}

/// Nothing waits for the result, so other work goes first.
pub(crate) fn lower_priority() -> Result<(), Failure> {
    Ok(sandbox::lower_priority()?)
}

fn shrink(task: Task, widths: &[NonZeroU32]) -> Result<Vec<SmallerCopy>, Failure> {
    match (task.kind, task.output) {
        (MediaKind::Image, Some(output)) => image::shrink(task.input, output, &task.limits, widths),
        (kind, _) => Err(Failure::Internal(format!("{kind:?} has no smaller copies"))),
    }
}

fn make_icon(task: Task, icon: Icon) -> Result<(), Failure> {
    match (task.kind, task.output) {
        (MediaKind::Image, Some(output)) => image::icon(task.input, output, &task.limits, icon),
        (kind, _) => Err(Failure::Internal(format!("{kind:?} has no icon"))),
    }
}

/// The work of [`main`].
#[doc(hidden)]
pub fn process(task: Task) -> Result<Done, Failure> {
    match (task.kind, task.output) {
        (MediaKind::Image, Some(output)) => image::process(task.input, output, &task.limits),
        (MediaKind::Pdf, Some(output)) => pdf::process(task.input, output, &task.limits),
        (MediaKind::Video(container), None) => video::clean(&task.input, container),
        (kind, _) => Err(Failure::Internal(format!("{kind:?} needs no processing"))),
    }
}

/// Returns only if the program cannot be executed.
fn run(command: Command, limits: Limits, sandbox: Sandbox) -> Failure {
    match sandbox::enter_for_program(&command, &limits, sandbox) {
        Ok(()) => std::process::Command::new(&command.program).args(command.arguments).exec().into(),
        Err(failure) => failure,
    }
}

impl Command {
    /// The files needed to start it: itself, libraries of its package in `/opt`, and the system's libraries.
    fn libraries(&self) -> Vec<PathBuf> {
        let program = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        let package = program.parent().and_then(Path::parent).filter(|package| package.starts_with("/opt"));
        let package = package.into_iter().flat_map(|package| [package.join("lib"), package.join("lib64")]);
        let system = sandbox::SYSTEM_PATHS.into_iter().map(PathBuf::from);
        package.chain(system).chain([program.clone()]).collect()
    }
}
