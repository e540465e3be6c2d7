//! The settings of a folder, and what a plan shows.

use serde_json::{Value, json};

use super::{PNG, World};

#[test]
fn the_settings_of_the_folder_are_applied_once() {
    let world = World::new();
    world.write("a.md", "# A");
    let config =
        |title: &str| format!("[settings]\ntitle = \"{title}\"\naccent = \"#a3301a\"\nlinks = [\"A=/a\"]\n");
    world.write("recto.toml", config("My books"));
    let dry = world.push(&["--dry-run"]);
    assert_eq!(dry["plan"]["settings"], json!(["accent", "links", "title"]));
    assert_eq!(world.push(&[])["created"], 1);
    let (_, page) = world.visit("/a");
    assert!(page.contains("My books") && page.contains("href=\"/a\">A</a>"), "{page}");
    assert_eq!(world.recto.json(&["site", "settings", "acme"])["accent"], "#a3301a");

    // Unchanged settings are no reason for a build.
    assert_eq!(world.push(&[])["build"], Value::Null);
    assert_eq!(world.run(&["--dry-run"]).code, Some(0));
    // A change of settings alone is, and what the folder does not name stays.
    world.recto.json(&["site", "set", "acme", "author=Ada", "--no-build"]);
    world.write("recto.toml", config("Books"));
    assert_eq!(world.run(&["--dry-run"]).code, Some(2));
    let ended = world.run(&[]);
    assert!(ended.stdout.contains("settings changed: title"), "{ended:?}");
    assert!(world.visit("/a").1.contains("Books"));
    let settings = world.recto.json(&["site", "settings", "acme"]);
    assert_eq!((&settings["author"], &settings["title"]), (&json!("Ada"), &json!("Books")));
}

#[test]
fn settings_that_were_stored_before_an_interruption_are_built_by_the_next_push() {
    let world = World::new();
    world.write("a.md", "# A");
    world.push(&[]);
    world.write("recto.toml", "[settings]\ntitle = \"Books\"\n");
    assert_eq!(world.push(&["--no-build"])["build"], Value::Null);
    assert!(!world.visit("/a").1.contains("Books"));
    assert_eq!(world.push(&[])["build"]["status"], "success");
    assert!(world.visit("/a").1.contains("Books"));
    assert_eq!(world.push(&[])["build"], Value::Null);
}

#[test]
fn wrong_settings_are_reported_with_their_line_and_nothing_is_published() {
    let world = World::new();
    world.write("a.md", "# A\n\n![](missing.png)\n");
    world.write("recto.toml", "[settings]\naccent = \"reddish\"\ncolour = \"red\"\n");
    let message = world.failure(&[]);
    for part in ["recto.toml:2: ", "recto.toml:3: unknown setting", "a.md:3: "] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // What only the server knows.
    let World { recto, server, account, folder } = world;
    server.stop();
    let recto = recto.set("RECTO_SITES_CUSTOM_HEAD", "false");
    let world = World { server: recto.start(), recto, account, folder };
    world.write("a.md", "# A");
    world.write("recto.toml", "[settings]\nhead = \"<!-- -->\"\n");
    let message = world.failure(&[]);
    assert!(message.contains("recto.toml: head: ") && message.contains("nothing is live"), "{message}");
    assert_eq!(world.visit("/a").0, 404);
}

#[test]
fn a_cover_that_only_front_matter_names_is_uploaded() {
    let world = World::new();
    world.write("blog/a.md", "---\ncover: img/dot.png\n---\n# A\n");
    world.write("blog/img/dot.png", PNG);
    assert_eq!(world.counts(&[]), [1, 0, 0, 0, 1, 0]);
    let page = world.page("/pages/a?contentType=blog");
    let cover = page["params"]["cover"].as_str().unwrap();
    assert_eq!(world.visit(cover).0, 200, "{cover}");
    assert_eq!(world.counts(&[]), [0, 0, 1, 0, 0, 1]);
    std::fs::remove_file(world.folder.join("blog/img/dot.png")).unwrap();
    assert!(world.failure(&[]).contains("blog/a.md:2: cover: "));
}

#[test]
fn a_plan_shows_everything_that_would_change() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.write(&format!("docs/{name}.md"), format!("# {name}\n"));
    }
    world.push(&[]);
    world.write("docs/a.md", "# a\n\nMore. [n](/nowhere) ![dot](dot.png)\n");
    world.write("docs/dot.png", PNG);
    world.write("docs/d.md", "# d\n\n[a](a.md)\n");
    world.write("recto.toml", "[settings]\ntitle = \"Books\"\n");
    std::fs::rename(world.folder.join("docs/b.md"), world.folder.join("docs/e.md")).unwrap();
    std::fs::remove_file(world.folder.join("docs/c.md")).unwrap();
    let ended = world.run(&["--dry-run", "--prune"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for part in [
        "1 created\n  + /docs/d\n",
        "1 changed\n  ~ /docs/a\n",
        "1 moved\n  > /docs/b → /docs/e\n",
        "1 deleted\n  - /docs/c\n",
        "0 unchanged\n",
        "settings changed: 1\n  title: Books\n",
        "files: 1 to upload (",
        "broken links: 1\n  /nowhere on /docs/a\n",
        "quota:\n  pages 3 of 250,000\n  text ",
        "  builds this month 1 → 2 of 1,000\n",
        "dry run: nothing was changed",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains('\x1b'), "colours are for terminals: {ended:?}");
    let mut command = world.command(&["--dry-run"]);
    command.env("CLICOLOR_FORCE", "1");
    let forced = crate::harness::process::Process::start(command).wait();
    assert!(forced.stdout.contains("\x1b["), "{forced:?}");
}
