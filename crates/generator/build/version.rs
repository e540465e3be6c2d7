//! The version of the generator: a hash of everything that affects the generated files, and of nothing else, since a
//! new version makes every site be rebuilt from scratch. So it excludes tests, and includes only those parts of the
//! lockfile that the generator depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The generator and the workspace crates it depends on.
const CRATES: [&str; 5] = ["generator", "highlight", "markdown", "model", "search"];
/// Paths within a crate that affect the files: its code, and the theme of the generator.
const SOURCES: [&str; 4] = ["src", "templates", "theme", "askama.toml"];

/// Paths relative to the workspace.
pub fn inputs() -> Vec<String> {
    let sources = CRATES.iter().flat_map(|name| SOURCES.map(|source| format!("crates/{name}/{source}")));
    let manifests = CRATES.iter().map(|name| format!("crates/{name}/Cargo.toml"));
    sources.chain(manifests).chain(["Cargo.toml", "Cargo.lock"].map(str::to_owned)).collect()
}

pub fn of(root: &Path) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (path, text) in sources(root) {
        hash = fnv(fnv(hash, path.as_bytes()), &text);
    }
    for package in packages(root) {
        hash = fnv(hash, package.as_bytes());
    }
    format!("{hash:016x}")
}

/// The source files of these crates, without their tests, by path.
fn sources(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = vec![];
    for name in CRATES {
        SOURCES.iter().for_each(|source| collect(&root.join("crates").join(name).join(source), &mut files));
    }
    let read = |file: PathBuf| {
        let path = file.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        let text = std::fs::read(&file).expect("a file that was just listed can be read");
        (path, without_tests(text))
    };
    files.into_iter().map(read).collect()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default();
    if name == "tests" || name == "tests.rs" {
        return;
    }
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

/// Tests are at the end of a file. If anything follows them, everything is included.
fn without_tests(text: Vec<u8>) -> Vec<u8> {
    const TESTS: &str = "\n#[cfg(test)]\nmod tests";
    let Ok(code) = std::str::from_utf8(&text) else { return text };
    let Some((before, tests)) = code.split_once(TESTS) else { return text };
    let is_last = tests.find("\n}\n").is_none_or(|end| end + "\n}\n".len() == tests.len());
    if is_last && (tests.starts_with(" {") || tests == ";\n") { before.as_bytes().to_vec() } else { text }
}

/// The dependencies of these crates: the direct ones as specified in the workspace, and name, version and checksum of
/// these and all transitive ones. The lockfile does not say which are for other platforms only, so those are included,
/// too.
fn packages(root: &Path) -> BTreeSet<String> {
    let read = |path: &str| -> Table {
        let text = std::fs::read_to_string(root.join(path)).expect(path);
        text.parse().expect(path)
    };
    let (workspace, lock) = (read("Cargo.toml"), read("Cargo.lock"));
    let lock = Lock::new(&lock);
    let mut found = BTreeSet::new();
    for name in CRATES {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for (dependency, asked) in manifest["dependencies"].as_table().expect("a table") {
            let general = &workspace["workspace"]["dependencies"][dependency];
            let package = general.get("package").and_then(Value::as_str).unwrap_or(dependency);
            if general.get("path").is_none() {
                found.insert(format!("{dependency} {asked} {general}"));
                lock.collect(lock.used_by(&format!("recto-{name}"), package), &mut found);
            }
        }
    }
    found
}

/// The packages of a lockfile, by name.
struct Lock<'l>(BTreeMap<&'l str, Vec<&'l Table>>);

impl<'l> Lock<'l> {
    fn new(lock: &'l Table) -> Lock<'l> {
        let mut packages: BTreeMap<&str, Vec<&Table>> = BTreeMap::new();
        for package in lock["package"].as_array().expect("a list").iter().filter_map(Value::as_table) {
            packages.entry(text(package, "name")).or_default().push(package);
        }
        Lock(packages)
    }

    /// The package version that a crate uses.
    fn used_by(&self, user: &str, package: &str) -> &'l Table {
        let user = self.0.get(user).expect(user)[0];
        let is_meant = |dependency: &&str| dependency.split(' ').next() == Some(package);
        self.find(dependencies(user).find(is_meant).expect(package))
    }

    /// By `name`, or `name version` if there are several.
    fn find(&self, dependency: &str) -> &'l Table {
        let (name, version) = dependency.split_once(' ').unwrap_or((dependency, ""));
        let is_meant = |package: &&&Table| version.is_empty() || text(package, "version") == version;
        self.0.get(name).expect(name).iter().find(is_meant).expect(dependency)
    }

    fn collect(&self, package: &'l Table, found: &mut BTreeSet<String>) {
        let line = ["name", "version", "checksum"].map(|key| text(package, key)).join(" ");
        if found.insert(line) {
            dependencies(package).for_each(|dependency| self.collect(self.find(dependency), found));
        }
    }
}

fn dependencies(package: &Table) -> impl Iterator<Item = &str> {
    package.get("dependencies").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn text<'t>(package: &'t Table, key: &str) -> &'t str {
    package.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// FNV-1a.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
