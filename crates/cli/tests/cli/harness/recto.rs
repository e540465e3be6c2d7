//! An installation: a data directory, a database, variables, and the commands run on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use testing::{Database, Engines, RedisServer};

use crate::harness::process::{Ended, Process};
use crate::harness::server::Server;

pub struct Recto {
    directory: TempDir,
    /// `None`: SQLite, in the data directory.
    database: Option<Database>,
    /// It runs as long as this exists. `None`: limits are counted in memory.
    _redis: Option<RedisServer>,
    variables: Vec<(String, String)>,
}

/// The output of `account create`.
pub struct Account {
    pub id: String,
    pub site: String,
    pub deploy_url: String,
    pub token_id: String,
    pub token: String,
}

impl Account {
    pub fn created(output: &Value) -> Account {
        let text = |key: &str| output[key].as_str().unwrap().to_owned();
        Account {
            id: text("accountId"),
            site: text("siteId"),
            deploy_url: text("deployUrl"),
            token_id: text("tokenId"),
            token: text("token"),
        }
    }
}

impl Recto {
    pub fn new() -> Recto {
        let directory = tempfile::tempdir().unwrap();
        let recto = Recto { directory, database: None, _redis: None, variables: Vec::new() };
        // The machine that runs the tests may have little free space.
        let recto = recto.set("RECTO_STORE_MIN_FREE", "16 MB");
        recto.set("RECTO_API_LISTEN", "127.0.0.1:0").set("RECTO_SITES_LISTEN", "127.0.0.1:0")
    }

    /// `None`: there is no server, skip the test.
    pub fn on_postgres() -> Option<Recto> {
        let database = Database::postgres()?;
        let mut recto = Recto::new().set("RECTO_STORE_URL", &database.url());
        recto.database = Some(database);
        Some(recto)
    }

    /// On all that several nodes share. `None`: a server is missing, skip the test.
    pub fn of_nodes() -> Option<Recto> {
        Recto::on_postgres()?.with_engines()
    }

    /// With objects on S3, and limits in a Redis of its own: servers of other tests would count in the same windows.
    pub fn with_engines(self) -> Option<Recto> {
        let (engines, redis) = (Engines::new()?, RedisServer::start()?);
        let recto = self.set("RECTO_OBJECTS_URL", &engines.objects).set("RECTO_LIMITS_URL", &redis.url());
        let variables = engines.variables().into_iter();
        let recto = variables.fold(recto, |recto, (variable, value)| recto.set(variable, value));
        Some(Recto { _redis: Some(redis), ..recto })
    }

    pub fn set(mut self, variable: &str, value: &str) -> Recto {
        self.variables.push((variable.into(), value.into()));
        self
    }

    /// Created by the first command.
    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// A path next to the data directory that does not exist yet.
    pub fn path_next_to_data(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file next to the data directory, and makes its directories.
    pub fn write_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path_next_to_data(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_in(&self.data(), arguments)
    }

    /// With another data directory, as on another machine.
    pub fn command_in(&self, data: &Path, arguments: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_recto")), data, arguments)
    }

    /// Of another `recto`.
    pub fn command_of(&self, program: &Path, data: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        // The environment of the test run must not affect the tests.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RECTO_"))
        {
            command.env_remove(name);
        }
        command.args(arguments).arg("--data").arg(data);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Process::start(self.command(arguments)).wait()
    }

    /// Runs a command that must succeed, with `input` as standard input.
    pub fn text_given(&self, arguments: &[&str], input: &str) -> String {
        let file = std::fs::File::open(self.write_file("input", input)).unwrap();
        let ended = Process::start_reading(self.command(arguments), file.into()).wait();
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.stdout
    }

    /// Runs a command that must succeed, with `--json`.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        serde_json::from_str(&ended.stdout).unwrap()
    }

    /// Runs a command that must succeed, and returns its text output.
    pub fn text(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.stdout
    }

    /// Runs a command that must fail, and returns its error, which must be the same with `--json`.
    pub fn refusal(&self, arguments: &[&str]) -> String {
        let (text, json) = (self.run(arguments), self.run(&[arguments, &["--json"]].concat()));
        assert!(text.code.is_some_and(|code| code != 0), "{arguments:?}: {text:?}");
        assert_eq!((text.code, text.stdout.as_str()), (json.code, ""), "{arguments:?}: {text:?} {json:?}");
        let body: Value =
            serde_json::from_str(&json.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {json:?}"));
        assert_eq!(keys(&body), ["error"], "{arguments:?}");
        let error = body["error"].as_str().unwrap();
        assert!(text.stderr.contains(error.trim()), "{arguments:?}: {text:?} does not say {error:?}");
        error.to_owned()
    }

    pub fn account(&self, name: &str) -> Account {
        self.account_on("pro", name)
    }

    pub fn account_on(&self, plan: &str, name: &str) -> Account {
        Account::created(&self.json(&["account", "create", name, "--plan", plan]))
    }

    /// Without rate limits.
    pub fn start(&self) -> Server {
        self.start_with(&["serve", "--dev"])
    }

    pub fn start_with(&self, arguments: &[&str]) -> Server {
        Server::start(self.command(arguments))
    }

    /// Runs a query that returns one number, directly on the database.
    pub fn query(&self, sql: &str) -> i64 {
        match &self.database {
            Some(database) => {
                let mut client = ::postgres::Client::connect(&database.url(), ::postgres::NoTls).unwrap();
                client.query_one(sql, &[]).unwrap().get(0)
            }
            None => self.sqlite().query_row(sql, [], |row| row.get(0)).unwrap(),
        }
    }

    /// Runs a statement directly on the database.
    pub fn execute(&self, sql: &str) {
        match &self.database {
            Some(database) => database.execute(sql),
            None => self.sqlite().execute_batch(sql).unwrap(),
        }
    }

    /// Checks the integrity of the SQLite file; does nothing for PostgreSQL.
    pub fn check_integrity(&self) {
        if self.database.is_none() {
            let check = |row: &rusqlite::Row| row.get::<_, String>(0);
            assert_eq!(self.sqlite().query_row("PRAGMA integrity_check", [], check).unwrap(), "ok");
        }
    }

    fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.data().join("recto.db")).unwrap()
    }
}

/// The keys of a JSON object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is not an object"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
