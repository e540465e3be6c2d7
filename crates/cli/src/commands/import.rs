//! `recto import`: converts a site of another program to a folder of Markdown. It needs no database.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use import::{Kind, Report};
use serde_json::json;

use crate::{Global, output};

#[derive(Args)]
pub struct ImportCommand {
    /// The program that made the site
    kind: Program,
    /// The folder of the site; for ghost its JSON export, for wordpress its XML export
    source: PathBuf,
    /// The folder to write, which must be empty or not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Program {
    Hugo,
    Jekyll,
    Docusaurus,
    Mkdocs,
    Mdbook,
    Obsidian,
    Ghost,
    Wordpress,
}

impl From<Program> for Kind {
    fn from(program: Program) -> Kind {
        match program {
            Program::Hugo => Kind::Hugo,
            Program::Jekyll => Kind::Jekyll,
            Program::Docusaurus => Kind::Docusaurus,
            Program::Mkdocs => Kind::Mkdocs,
            Program::Mdbook => Kind::Mdbook,
            Program::Obsidian => Kind::Obsidian,
            Program::Ghost => Kind::Ghost,
            Program::Wordpress => Kind::Wordpress,
        }
    }
}

impl ImportCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let report = import::import(self.kind.into(), &self.source, &self.folder)?;
        let Report { pages, files, aliases, notes } = report;
        if global.json {
            let folder = self.folder.display().to_string();
            output::json(&json!({
                "folder": folder, "pages": pages, "files": files, "aliases": aliases, "notes": notes,
            }));
            return Ok(());
        }
        for note in &notes {
            output::line(note);
        }
        if !notes.is_empty() {
            output::line("");
        }
        let folder = self.folder.display();
        output::line(format_args!(
            "{pages} pages, {files} files and {aliases} redirects of former URLs written to {folder}; {} notes",
            notes.len()
        ));
        output::line(format_args!("check the folder, then publish it: recto push {folder}"));
        Ok(())
    }
}
