//! Landlock: which files a child can still open by path.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};

use crate::{Failure, SandboxFeatures};

/// The newest ABI that this was tested with: files, TCP, devices, signals, abstract sockets. An older kernel provides
/// less; the system call filter forbids the same.
const TESTED_ABI: ABI = ABI::V7;

/// Directories of programs and libraries. Not all of them exist everywhere.
pub(in crate::worker) const SYSTEM_PATHS: [&str; 12] = [
    "/bin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
];

/// Libraries may be read and executed, other files read, or written. Missing paths are skipped.
pub(super) fn restrict_paths(
    libraries: &[PathBuf],
    reads: &[PathBuf],
    writes: &[PathBuf],
) -> Result<SandboxFeatures, Failure> {
    let status = restrict(libraries, reads, writes)
        .map_err(|error| Failure::NoSandbox(format!("Landlock answers: {error}")))?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Ok(SandboxFeatures { landlock_abi: kernel_abi.unwrap_or(effective_abi as i32) })
        }
        LandlockStatus::NotEnabled => {
            Err(Failure::NoSandbox("Landlock is switched off in this kernel".into()))
        }
        LandlockStatus::NotImplemented => Err(Failure::NoSandbox("this kernel has no Landlock".into())),
    }
}

fn restrict(
    libraries: &[PathBuf],
    reads: &[PathBuf],
    writes: &[PathBuf],
) -> Result<RestrictionStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(TESTED_ABI))?
        .handle_access(AccessNet::from_all(TESTED_ABI))?
        .scope(Scope::from_all(TESTED_ABI))?
        .create()?;
    let ruleset = permit(ruleset, libraries, make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir}))?;
    let ruleset = permit(ruleset, reads, AccessFs::ReadFile.into())?;
    let ruleset = permit(ruleset, writes, make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate}))?;
    ruleset.restrict_self()
}

fn permit(
    mut ruleset: RulesetCreated,
    paths: &[PathBuf],
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(TESTED_ABI) };
        if let Ok(descriptor) = PathFd::new(path) {
            ruleset = ruleset.add_rule(PathBeneath::new(descriptor, access))?;
        }
    }
    Ok(ruleset)
}
