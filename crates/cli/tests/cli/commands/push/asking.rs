//! The question on a terminal, which `script` provides.

use std::process::Command;

use super::{World, sample};
use crate::harness::process::{Ended, Process};

/// A push on a terminal on which this is typed.
fn push_answering(world: &World, arguments: &[&str], answer: &str) -> Ended {
    let push = world.command(arguments);
    let words = [push.get_program()].into_iter().chain(push.get_args());
    let line: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line.join(" "), "/dev/null"]).env("TERM", "xterm");
    for (name, value) in push.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let typed = std::fs::File::open(world.recto.write_file("typed", answer)).unwrap();
    Process::start_reading(script, typed.into()).wait()
}

#[test]
fn a_push_on_a_terminal_shows_its_plan_and_asks() {
    let world = World::new();
    sample(&world);
    for answer in ["n\n", "\n", "maybe\n"] {
        let ended = push_answering(&world, &[], answer);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        for part in ["3 created", "Publish to", "[y/N]", "nothing was published"] {
            assert!(ended.stdout.contains(part), "{part}: {ended:?}");
        }
        assert_eq!(world.visit("/").0, 404);
    }
    let ended = push_answering(&world, &[], "y\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(world.visit("/").0, 200);
    // There is nothing to ask about.
    let ended = push_answering(&world, &[], "");
    assert!(ended.code == Some(0) && !ended.stdout.contains("[y/N]"), "{ended:?}");
}

#[test]
fn with_yes_nothing_is_asked_on_a_terminal() {
    let world = World::new();
    sample(&world);
    let ended = push_answering(&world, &["--yes"], "");
    assert!(ended.code == Some(0) && !ended.stdout.contains("[y/N]"), "{ended:?}");
    assert_eq!(world.visit("/").0, 200);
}
