//! The child process: one order from its standard input, one answer to its standard output, and the end.
//!
//! It opens the files, then gives up everything else ([`sandbox`]), and only then looks at what is in them.

mod sandbox;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::job::{Answer, CANNOT_RUN, Command, HELLO, Limits, NO_SANDBOX, Order, Survey, Work};
use crate::{Done, Failure, Job, Kind, Sandbox, image, pdf, video};

/// What a decoder gets to see of an upload.
pub struct Task {
    pub kind: Kind,
    /// Open for writing too when it is a video.
    pub input: File,
    /// None for a video.
    pub output: Option<File>,
    pub limits: Limits,
}

/// What the program does when it is started as a child. Never returns to anything else.
pub fn main() -> ExitCode {
    serve(process)
}

/// [`main`] with other work, for tests that need a decoder gone mad.
#[doc(hidden)]
pub fn serve(work: fn(Task) -> Result<Done, Failure>) -> ExitCode {
    // If even that fails, nobody is there to be told.
    obey(work).unwrap_or(ExitCode::FAILURE)
}

fn obey(work: fn(Task) -> Result<Done, Failure>) -> io::Result<ExitCode> {
    sandbox::begin()?;
    writeln!(io::stdout(), "{HELLO}")?;
    let Order { work: wanted, limits, sandbox } = serde_json::from_str(&read_line()?)?;
    let answer = match wanted {
        Work::Process(job) => {
            let answer: Answer = open(job, limits, sandbox).and_then(work);
            serde_json::to_string(&answer)
        }
        Work::Survey => {
            let survey: Survey = sandbox::enter(&limits, limits.memory, sandbox);
            serde_json::to_string(&survey)
        }
        Work::Run(command) => {
            let failure = run(command, limits, sandbox);
            writeln!(io::stderr(), "{failure}")?;
            let code = if matches!(failure, Failure::NoSandbox(_)) { NO_SANDBOX } else { CANNOT_RUN };
            return Ok(ExitCode::from(code));
        }
    };
    writeln!(io::stdout(), "{}", answer?)?;
    Ok(ExitCode::SUCCESS)
}

/// Byte by byte: what comes after the line may be for the program that we become.
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
    let in_place = matches!(job.kind, Kind::Video(_));
    let input = File::options().read(true).write(in_place).open(&job.input)?;
    let output = if in_place { None } else { Some(File::create(&job.output)?) };
    // A video never grows; what is written anew fits into memory.
    let file_bytes = if in_place { input.metadata()?.len() } else { limits.memory };
    sandbox::enter(&limits, file_bytes, sandbox)?;
    Ok(Task { kind: job.kind, input, output, limits })
}

/// For work whose cost is known: less time than the order gave, and if it is much, others come first.
pub(crate) fn expect(cpu_seconds: u64) -> Result<(), Failure> {
    Ok(sandbox::expect(cpu_seconds)?)
}

/// The work of [`main`].
#[doc(hidden)]
pub fn process(task: Task) -> Result<Done, Failure> {
    match (task.kind, task.output) {
        (Kind::Image, Some(output)) => image::process(task.input, output, &task.limits),
        (Kind::Pdf, Some(output)) => pdf::process(task.input, output, &task.limits),
        (Kind::Video(container), None) => video::clean(&task.input, container),
        (kind, _) => Err(Failure::Internal(format!("there is nothing to do for {kind:?}"))),
    }
}

/// Returns only if it cannot become the program.
fn run(command: Command, limits: Limits, sandbox: Sandbox) -> Failure {
    match sandbox::enter_to_run(&command, &limits, sandbox) {
        Ok(()) => std::process::Command::new(&command.program).args(command.arguments).exec().into(),
        Err(failure) => failure,
    }
}

impl Command {
    /// What it needs to be started: itself, what was installed with it, and the system's libraries.
    fn libraries(&self) -> Vec<PathBuf> {
        let program = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        let package = program.parent().and_then(Path::parent).filter(|package| package.starts_with("/opt"));
        let package = package.into_iter().flat_map(|package| [package.join("lib"), package.join("lib64")]);
        let system = sandbox::SYSTEM.into_iter().map(PathBuf::from);
        package.chain(system).chain([program.clone()]).collect()
    }
}
