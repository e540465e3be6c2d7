//! `recto dev`: a folder as a site, while it is being written.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::recto::{Recto, text};

const PATIENCE: Duration = Duration::from_secs(300);

struct Preview {
    child: Child,
    url: String,
    /// The states that an open page is sent.
    states: Box<dyn Iterator<Item = Value>>,
}

impl Preview {
    fn of(recto: &Recto, folder: &Path) -> Preview {
        let mut command = recto.command(&["dev", text(folder), "--listen", "127.0.0.1:0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let url = started["url"].as_str().unwrap().to_owned();
        let client = reqwest::blocking::Client::builder().timeout(PATIENCE).build().unwrap();
        let events = client.get(format!("{url}/.recto/events")).send().unwrap();
        let lines = BufReader::new(events).lines().map_while(Result::ok);
        let states = lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        Preview { child, url, states: Box::new(states) }
    }

    /// Waits for a state.
    fn wait(&mut self, is_met: impl Fn(&Value) -> bool) -> Value {
        self.states.find(|state| is_met(state)).expect("the state was not sent in time")
    }

    fn get(&self, path: &str) -> (u16, String) {
        let response = reqwest::blocking::get(format!("{}{path}", self.url)).unwrap();
        (response.status().as_u16(), response.text().unwrap())
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_folder_is_shown_while_it_is_written() {
    let recto = Recto::new();
    let file = recto.write_file("site/docs/install.md", "# Install\n\nFirst.\n");
    let folder = file.parent().unwrap().parent().unwrap().to_owned();
    let mut preview = Preview::of(&recto, &folder);
    preview.wait(|state| state["version"] == 1);
    let (status, page) = preview.get("/docs/install");
    assert_eq!(status, 200);
    assert!(page.contains("First.") && page.contains("EventSource"), "{page}");

    // A change, and a page that is not published yet.
    recto.write_file("site/docs/install.md", "# Install\n\nSecond.\n");
    preview.wait(|state| state["version"].as_u64() > Some(1));
    assert!(preview.get("/docs/install").1.contains("Second."));
    recto.write_file("site/blog/soon.md", "---\ndraft: true\n---\n# Soon\n");
    let state = preview.wait(|state| !state["unpublished"].as_object().unwrap().is_empty());
    assert_eq!(state["unpublished"]["/blog/soon"], "draft");
    assert_eq!(preview.get("/blog/soon").0, 200);

    // What is wrong is shown with file and line, and the site stays as it was.
    recto.write_file("site/docs/install.md", "# Install\n\n![](missing.png)\n");
    let state = preview.wait(|state| !state["problems"].as_array().unwrap().is_empty());
    assert!(state["problems"][1].as_str().unwrap().starts_with("docs/install.md:3: "), "{state}");
    assert!(preview.get("/docs/install").1.contains("Second."));
    std::fs::remove_file(&file).unwrap();
    let state = preview.wait(|state| state["problems"].as_array().unwrap().is_empty());
    assert_eq!(preview.get("/docs/install").0, 404);

    // Settings hold as well.
    let version = state["version"].as_u64();
    recto.write_file("site/recto.toml", "[settings]\ntitle = \"The lamp\"\n");
    preview.wait(|state| state["version"].as_u64() > version);
    assert!(preview.get("/blog/soon").1.contains("The lamp"));
}

#[test]
fn before_the_first_build_a_page_says_so_and_shows_what_is_wrong() {
    let recto = Recto::new();
    let file = recto.write_file("site/a.md", "# A\n\n![](missing.png)\n");
    let mut preview = Preview::of(&recto, file.parent().unwrap());
    let state = preview.wait(|state| !state["problems"].as_array().unwrap().is_empty());
    assert_eq!(state["version"], 0);
    let (status, page) = preview.get("/a");
    assert_eq!(status, 503);
    assert!(page.contains("after its first build") && page.contains("EventSource"), "{page}");
    recto.write_file("site/a.md", "# A\n");
    preview.wait(|state| state["version"] == 1);
    assert_eq!(preview.get("/a").0, 200);
}

#[test]
fn a_page_is_shown_before_the_first_build() {
    let recto = Recto::new();
    let file = recto.write_file("site/docs/install.md", "# Install\n\n[Start](start.md)\n");
    recto.write_file("site/docs/start.md", "# Start\n");
    recto.write_file("site/blog/soon.md", "---\ndraft: true\n---\n# Soon\n");
    // With a wrong setting there is no first build.
    recto.write_file("site/recto.toml", "[settings]\ntitle = \"The lamp\"\naccent = \"no colour\"\n");
    let mut preview = Preview::of(&recto, file.parent().unwrap().parent().unwrap());
    let state = preview.wait(|state| !state["problems"].as_array().unwrap().is_empty());
    assert_eq!((&state["version"], &state["unpublished"]["/blog/soon"]), (&0.into(), &"draft".into()));
    let (status, before) = preview.get("/docs/install");
    assert_eq!(status, 200);
    assert!(before.contains("data-version=\"0\"") && before.contains("The lamp"), "{before}");
    assert_eq!((preview.get("/blog/soon").0, preview.get("/docs").0), (200, 503));

    recto.write_file("site/recto.toml", "[settings]\ntitle = \"The lamp\"\n");
    preview.wait(|state| state["version"] == 1);
    let after = preview.get("/docs/install").1;
    // All lines but those that depend on the time of the publish, and on the build.
    let lines = |page: &str| -> Vec<String> {
        let differs = ["article:modified_time", "\"dateModified\"", "data-version="];
        let same = |line: &&str| !differs.iter().any(|word| line.contains(word));
        page.lines().filter(same).map(str::to_owned).collect()
    };
    assert_eq!(lines(&before), lines(&after));
}

#[test]
fn an_empty_folder_is_shown_too() {
    let recto = Recto::new();
    let folder = recto.write_file("site/.keep", "").parent().unwrap().to_owned();
    let mut preview = Preview::of(&recto, &folder);
    preview.wait(|state| state["version"] == 1);
    assert_eq!(preview.get("/").0, 404);
    recto.write_file("site/a.md", "# A\n");
    preview.wait(|state| state["version"] == 2);
    assert_eq!(preview.get("/a").0, 200);
}

#[test]
fn an_interruption_ends_it() {
    let recto = Recto::new();
    let file = recto.write_file("site/a.md", "# A\n");
    let mut preview = Preview::of(&recto, file.parent().unwrap());
    preview.wait(|state| state["version"] == 1);
    let pid = rustix::process::Pid::from_child(&preview.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let started = Instant::now();
    while preview.child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interruption_during_the_start_leaves_nothing_behind() {
    let recto = Recto::new();
    let file = recto.write_file("site/a.md", "# A\n");
    let temporary = recto.write_file("temporary/.keep", "").parent().unwrap().to_owned();
    let mut command =
        recto.command(&["dev", text(file.parent().unwrap()), "--listen", "127.0.0.1:0", "--json"]);
    let mut child = command.env("TMPDIR", &temporary).stdout(Stdio::piped()).spawn().unwrap();
    // Its address, before the first build.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
    let left: Vec<_> =
        std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".keep"]);
}
