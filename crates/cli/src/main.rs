//! The `recto` binary: the server and the operator's commands.

mod commands;
mod config;
mod doctor;
mod output;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    AccountCommand, BackupCommand, DevCommand, ImportCommand, MediaCommand, MigrateCommand, ObjectsCommand,
    PageCommand, PushCommand, RestoreCommand, SiteCommand, StoreCommand, TokenCommand, UserCommand,
};
use crate::serve::Roles;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

/// Recto publishes Markdown pages as a website: send pages to its API, build the site, serve it.
///
/// Without a command it runs the server. The first start with an empty data directory creates an account and prints how
/// to publish a first page.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args, Clone)]
pub struct Global {
    /// Configuration file (TOML); every key can also be set by an environment variable, such as RECTO_STORE_URL
    #[arg(long, global = true, value_name = "FILE", env = "RECTO_CONFIG")]
    pub config: Option<PathBuf>,
    /// Data directory; created if missing
    #[arg(long, global = true, value_name = "DIR", env = "RECTO_DATA", default_value = "./recto-data")]
    pub data: PathBuf,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Args)]
pub struct ServeArgs {
    /// Do not enforce rate limits (their headers are still sent)
    #[arg(long)]
    pub dev: bool,
    #[command(flatten)]
    pub roles: Roles,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(ServeArgs),
    /// Publish a folder of Markdown through the API
    Push(PushCommand),
    /// Show a folder of Markdown as a site while it is being written; pages reload after each change
    Dev(DevCommand),
    /// Accounts: create, list, show, suspend, resume, change the plan or the default site
    #[command(subcommand)]
    Account(AccountCommand),
    /// Sites: create, list, show, delete; settings, builds, releases, domains, password, export
    #[command(subcommand)]
    Site(SiteCommand),
    /// API tokens: create, list, revoke
    #[command(subcommand)]
    Token(TokenCommand),
    /// People who use the dashboard: create, list, links to choose a password
    #[command(subcommand)]
    User(UserCommand),
    /// Deleted pages: list, restore, purge
    #[command(subcommand)]
    Page(PageCommand),
    /// Uploaded files: list, delete
    #[command(subcommand)]
    Media(MediaCommand),
    /// Convert a site of another program to a folder of Markdown
    Import(ImportCommand),
    /// The object store: check or delete unreferenced objects, assign it to this database
    #[command(subcommand)]
    Objects(ObjectsCommand),
    /// The database: upgrade its schema
    #[command(subcommand)]
    Store(StoreCommand),
    /// Back up database and objects while the server runs; list and verify backups
    Backup(BackupCommand),
    /// Restore a backup into an empty database and an empty object store
    Restore(RestoreCommand),
    /// Copy everything to another database (SQLite, PostgreSQL) and object store (directory, S3)
    Migrate(MigrateCommand),
    /// Read everything that is stored and compare it with its checksums
    Verify,
    /// Check configuration, disk, database, builds and tools, and suggest fixes
    Doctor,
    /// Process uploaded files in a sandbox; the server starts this itself
    #[command(hide = true)]
    MediaWorker,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_clap_message(&error),
    };
    let json = cli.global.json;
    match run(cli) {
        Ok(code) => code,
        Err(error) if json => {
            output::json(&serde_json::json!({ "error": format!("{error:#}") }));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("recto: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints help, the version, or why the arguments are invalid.
fn print_clap_message(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let why = text.split("\n\nUsage:").next().unwrap_or_default().trim_start_matches("error: ");
        output::json(&serde_json::json!({ "error": why }));
    } else {
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let global = &cli.global;
    match cli.command {
        // As if `serve` had been given, with what the environment says about it.
        None => run(Cli { global: cli.global, ..Cli::try_parse_from(["recto", "serve"])? }),
        Some(command) => run_command(command, global),
    }
}

fn run_command(command: Command, global: &Global) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(arguments) => serve::serve(global, &arguments)?,
        Command::Push(command) => return command.run(global),
        Command::Dev(command) => return command.run(global),
        Command::Account(command) => command.run(global)?,
        Command::Site(command) => command.run(global)?,
        Command::Token(command) => command.run(global)?,
        Command::User(command) => command.run(global)?,
        Command::Page(command) => command.run(global)?,
        Command::Media(command) => command.run(global)?,
        Command::Import(command) => command.run(global)?,
        Command::Objects(command) => command.run(global)?,
        Command::Store(command) => command.run(global)?,
        Command::Backup(command) => return command.run(global),
        Command::Restore(command) => return command.run(global),
        Command::Migrate(command) => return command.run(global),
        Command::Verify => return commands::verify(global),
        Command::MediaWorker => return Ok(media::worker::main()),
        Command::Doctor => return doctor::doctor(global),
    }
    Ok(ExitCode::SUCCESS)
}
