//! Images, decoded and encoded by a child in its sandbox.

use media::{Done, Failure, Job, Kind, Program, Workshop, WorkshopSettings};

use crate::tools::{PICTURES, SETTINGS, contains, ffmpeg, process, program, run};

#[test]
fn an_image_of_each_format_becomes_webp_without_its_metadata() {
    let directory = tempfile::tempdir().unwrap();
    for extension in ["jpg", "png", "gif", "webp"] {
        let path = directory.path().join(format!("picture.{extension}"));
        let name = path.to_str().unwrap();
        ffmpeg(&format!("{PICTURES} -frames:v 3 -update 1 {name}"));
        run("exiftool", &["-overwrite_original", "-XMP-dc:Creator=SECRET", name]);
        let (done, output) = process(&path, Kind::Image).unwrap();
        assert_eq!(done, Done { dimensions: Some((64, 48)) }, "{extension}");
        let bytes = std::fs::read(&output).unwrap();
        assert!(bytes.starts_with(b"RIFF") && !contains(&bytes, b"SECRET"), "{extension}");
    }
}

#[test]
fn what_is_no_image_is_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    for content in ["", "a text", "GIF89a"] {
        std::fs::write(&path, content).unwrap();
        let done = process(&path, Kind::Image);
        assert!(matches!(&done, Err(Failure::Refused(message)) if message.contains("image")), "{done:?}");
    }
}

#[test]
fn an_image_that_takes_too_much_memory_costs_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    ffmpeg(&format!("-f lavfi -i color=size=6000x6000 -frames:v 1 {}", path.display()));
    let workshop = Workshop::new(program(), WorkshopSettings { memory: 100 << 20, ..SETTINGS });
    let job = Job { kind: Kind::Image, input: path, output: directory.path().join("output") };
    let done = workshop.process(&job);
    assert!(matches!(done, Err(Failure::Refused(_))), "{done:?}");
}

#[test]
fn time_is_limited_by_what_the_image_asks_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    let worker = Program { args: vec!["say-limit".into()], ..program() };
    let workshop = |cpu_seconds| Workshop::new(worker.clone(), WorkshopSettings { cpu_seconds, ..SETTINGS });
    let check = |side: u32, most, expected: &str| {
        ffmpeg(&format!("-f lavfi -i color=size={side}x{side} -frames:v 1 {}", path.display()));
        let job = Job { kind: Kind::Image, input: path.clone(), output: directory.path().join("output") };
        assert_eq!(workshop(most).process(&job), Err(Failure::Refused(expected.into())), "{side}");
    };
    check(100, 600, "Some(6)");
    check(3000, 600, "Some(10)");
    check(3000, 8, "Some(8)");
}

#[test]
fn a_large_image_lets_others_go_first() {
    let directory = tempfile::tempdir().unwrap();
    // A copy of the worker under a name of its own, to be found among all processes.
    let worker = directory.path().join("worker-of-large-images");
    std::fs::copy(program().path, &worker).unwrap();
    let settings = WorkshopSettings { children: 1, memory: 1 << 30, cpu_seconds: 600, wall_seconds: 600 };
    let workshop = Workshop::new(Program { path: worker.clone(), ..program() }, settings);
    let path = directory.path().join("picture.png");
    ffmpeg(&format!("-f lavfi -i color=size=4600x4600 -frames:v 1 {}", path.display()));
    let job = Job { kind: Kind::Image, input: path, output: directory.path().join("output") };
    std::thread::scope(|scope| {
        let work = scope.spawn(|| workshop.process(&job));
        let mut seen = false;
        while !work.is_finished() {
            seen |= priorities(worker.to_str().unwrap()).contains(&10);
        }
        assert_eq!(work.join().unwrap(), Ok(Done { dimensions: Some((4600, 4600)) }));
        assert!(seen, "its priority was low");
    });
}

/// Of the processes that were started by this name.
fn priorities(name: &str) -> Vec<i32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|process| process.path());
    let named = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path.join("cmdline")).is_ok_and(|line| line.starts_with(name))
    };
    let stats = processes.filter(named).filter_map(|path| std::fs::read_to_string(path.join("stat")).ok());
    // After the name in parentheses, the 17th field.
    let nice = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(16)?.parse().ok();
    stats.filter_map(nice).collect()
}
