//! The supported languages, by the names that authors write after the fence.

mod braces;
mod functional;
mod scripts;
mod systems;
mod tools;
mod web;

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use super::grammar::{Grammar, Lexicon};
use super::paint::Painter;
use super::{css, data, json, lines, markup, shell, yaml};

#[derive(Clone, Copy)]
pub(super) enum Lexer {
    Code(&'static Lexicon),
    Custom(fn(&mut Painter)),
}

/// The lexer of a language, by any of its names, ignoring case.
pub(super) fn find(name: &str) -> Option<Lexer> {
    static LANGUAGES: LazyLock<FxHashMap<&'static str, Language>> = LazyLock::new(by_name);
    static LEXICONS: [OnceLock<Lexicon>; ALL.len()] = [const { OnceLock::new() }; ALL.len()];
    let language = LANGUAGES.get(bare(name).to_ascii_lowercase().as_str())?;
    Some(match language.definition {
        Definition::Custom(paint) => Lexer::Custom(paint),
        Definition::Code(grammar) => {
            Lexer::Code(LEXICONS[language.index].get_or_init(|| Lexicon::new(grammar)))
        }
    })
}

/// The language in `rust,ignore`, `js{1,3}` and `{.python}`.
fn bare(name: &str) -> &str {
    let name = name.trim_start_matches(['{', '.']);
    name.split([',', '{', '}', ':', '[']).next().unwrap_or_default()
}

struct Language {
    index: usize,
    definition: Definition,
}

#[derive(Clone, Copy)]
enum Definition {
    Code(&'static Grammar),
    Custom(fn(&mut Painter)),
}

fn by_name() -> FxHashMap<&'static str, Language> {
    let mut languages = FxHashMap::default();
    for (index, &(names, definition)) in ALL.iter().enumerate() {
        for name in names.split(' ') {
            languages.insert(name, Language { index, definition });
        }
    }
    languages
}

use Definition::{Code, Custom};

const ALL: &[(&str, Definition)] = &[
    ("awk gawk", Code(&scripts::AWK)),
    ("bash sh shell zsh ksh fish bats", Custom(shell::paint)),
    ("c h", Code(&braces::C)),
    ("clojure clj cljs cljc edn", Code(&functional::CLOJURE)),
    ("cmake", Code(&tools::CMAKE)),
    (
        "console shell-session shellsession sh-session bash-session terminal session",
        Custom(shell::paint_session),
    ),
    ("cpp c++ cc cxx hpp hh cuda cu arduino ino", Code(&braces::CPP)),
    ("crystal cr", Code(&scripts::RUBY)),
    ("csharp c# cs", Code(&braces::CSHARP)),
    ("css scss sass less postcss", Custom(css::paint)),
    ("d dlang", Code(&systems::D)),
    ("dart", Code(&braces::DART)),
    ("diff patch udiff", Custom(lines::paint_diff)),
    ("dockerfile docker containerfile", Code(&tools::DOCKERFILE)),
    ("elixir ex exs eex heex", Code(&functional::ELIXIR)),
    ("elm", Code(&functional::ELM)),
    ("erlang erl", Code(&functional::ERLANG)),
    ("fortran f90 f95", Code(&tools::FORTRAN)),
    ("fsharp f# fs", Code(&functional::FSHARP)),
    ("gleam", Code(&functional::GLEAM)),
    ("glsl hlsl wgsl shader metal vert frag", Code(&systems::SHADER)),
    ("go golang", Code(&systems::GO)),
    ("graphql gql", Code(&tools::GRAPHQL)),
    ("groovy gradle jenkinsfile", Code(&braces::GROOVY)),
    ("haskell hs purescript purs", Code(&functional::HASKELL)),
    ("hcl terraform tf tfvars", Code(&tools::HCL)),
    (
        "html htm xhtml vue svelte astro handlebars hbs jinja jinja2 django liquid twig erb ejs",
        Custom(markup::paint),
    ),
    ("http https rest", Custom(lines::paint_http)),
    ("ini cfg conf properties env dotenv desktop systemd editorconfig gitconfig", Custom(data::paint_ini)),
    ("java", Code(&braces::JAVA)),
    ("javascript js jsx mjs cjs node", Code(&web::JAVASCRIPT)),
    ("json jsonc json5 jsonl ndjson geojson webmanifest ipynb", Custom(json::paint)),
    ("julia jl", Code(&scripts::JULIA)),
    ("kotlin kt kts", Code(&braces::KOTLIN)),
    ("latex tex", Code(&tools::LATEX)),
    ("lisp common-lisp elisp emacs-lisp scheme scm racket rkt", Code(&functional::LISP)),
    ("lua luau", Code(&scripts::LUA)),
    ("makefile make mk just justfile", Code(&tools::MAKEFILE)),
    ("markdown md mdx", Custom(lines::paint_markdown)),
    ("matlab octave", Code(&scripts::MATLAB)),
    ("nginx nginxconf caddy caddyfile", Code(&tools::NGINX)),
    ("nim", Code(&scripts::NIM)),
    ("nix", Code(&functional::NIX)),
    ("objective-c objectivec objc obj-c mm", Code(&braces::OBJECTIVE_C)),
    ("ocaml ml mli reason reasonml", Code(&functional::OCAML)),
    ("odin", Code(&systems::ODIN)),
    ("pascal delphi", Code(&tools::PASCAL)),
    ("perl pl pm", Code(&scripts::PERL)),
    ("php php3 php4 php5", Code(&scripts::PHP)),
    ("powershell pwsh ps1 posh", Code(&scripts::POWERSHELL)),
    ("prolog", Code(&functional::PROLOG)),
    ("protobuf proto proto3 thrift capnp", Code(&tools::PROTOBUF)),
    ("python py python3 py3 pycon starlark bazel bzl gdscript mojo", Code(&scripts::PYTHON)),
    ("r rlang", Code(&scripts::R)),
    ("ruby rb rake gemfile", Code(&scripts::RUBY)),
    ("rust rs", Code(&systems::RUST)),
    ("scala sbt sc", Code(&braces::SCALA)),
    ("solidity sol", Code(&systems::SOLIDITY)),
    ("sql mysql postgresql postgres pgsql plpgsql sqlite sqlite3 tsql mssql plsql", Code(&tools::SQL)),
    ("swift", Code(&braces::SWIFT)),
    ("tcl", Code(&scripts::TCL)),
    ("toml", Custom(data::paint_toml)),
    ("typescript ts tsx mts cts", Code(&web::TYPESCRIPT)),
    ("vb vbnet vb.net visual-basic", Code(&tools::VISUAL_BASIC)),
    ("v vlang", Code(&systems::V)),
    ("xml svg xsl xslt rss atom xsd plist mathml wsdl", Custom(markup::paint)),
    ("yaml yml", Custom(yaml::paint)),
    ("zig", Code(&systems::ZIG)),
];

/// One name of each language.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().filter_map(|(names, _)| names.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_the_beginning_of_an_info_string() {
        let is_known = |name: &str| find(name).is_some();
        assert!(is_known("rust"));
        assert!(is_known("Rust"));
        assert!(is_known("rust,ignore"));
        assert!(is_known("js{1,3}"));
        assert!(is_known("{.python}"));
        assert!(is_known("c++"));
        assert!(!is_known(""));
        assert!(!is_known("brainfuck"));
    }

    #[test]
    fn no_two_languages_share_a_name() {
        assert_eq!(by_name().len(), ALL.iter().map(|(names, _)| names.split(' ').count()).sum::<usize>());
    }
}
