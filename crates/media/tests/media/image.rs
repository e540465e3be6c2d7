//! Images, decoded and encoded by a sandboxed child.

use std::num::NonZeroU32;

use media::{Done, Failure, Job, MediaKind, Program, WorkerPool, WorkerPoolSettings};

use crate::tools::{SETTINGS, VIDEO_SOURCE, contains, ffmpeg, pool, process, program, run};

#[test]
fn an_image_of_each_format_becomes_webp_without_its_metadata() {
    let directory = tempfile::tempdir().unwrap();
    for extension in ["jpg", "png", "gif", "webp"] {
        let path = directory.path().join(format!("image.{extension}"));
        let name = path.to_str().unwrap();
        ffmpeg(&format!("{VIDEO_SOURCE} -frames:v 3 -update 1 {name}"));
        run("exiftool", &["-overwrite_original", "-XMP-dc:Creator=SECRET", name]);
        let (done, output) = process(&path, MediaKind::Image).unwrap();
        assert_eq!(done, Done { dimensions: Some((64, 48)) }, "{extension}");
        let bytes = std::fs::read(&output).unwrap();
        assert!(bytes.starts_with(b"RIFF") && !contains(&bytes, b"SECRET"), "{extension}");
    }
}

#[test]
fn a_file_that_is_not_an_image_is_refused_with_a_message() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("image.png");
    for content in ["", "a text", "GIF89a"] {
        std::fs::write(&path, content).unwrap();
        let done = process(&path, MediaKind::Image);
        assert!(matches!(&done, Err(Failure::Refused(message)) if message.contains("image")), "{done:?}");
    }
}

#[test]
fn an_image_that_takes_too_much_memory_affects_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("image.png");
    ffmpeg(&format!("-f lavfi -i color=size=6000x6000 -frames:v 1 {}", path.display()));
    let pool = WorkerPool::new(program(), WorkerPoolSettings { memory: 100 << 20, ..SETTINGS });
    let job = Job { kind: MediaKind::Image, input: path, output: directory.path().join("output") };
    let done = pool.process(&job);
    assert!(matches!(done, Err(Failure::Refused(_))), "{done:?}");
}

#[test]
fn the_time_limit_depends_on_the_image() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("image.png");
    let worker = Program { args: vec!["say-limit".into()], ..program() };
    let pool = |cpu_seconds| WorkerPool::new(worker.clone(), WorkerPoolSettings { cpu_seconds, ..SETTINGS });
    let check = |side: u32, most, expected: &str| {
        ffmpeg(&format!("-f lavfi -i color=size={side}x{side} -frames:v 1 {}", path.display()));
        let job =
            Job { kind: MediaKind::Image, input: path.clone(), output: directory.path().join("output") };
        assert_eq!(pool(most).process(&job), Err(Failure::Refused(expected.into())), "{side}");
    };
    check(100, 600, "Some(6)");
    check(3000, 600, "Some(10)");
    check(3000, 8, "Some(8)");
}

#[test]
fn smaller_copies_follow_each_other_in_the_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("image.jpg");
    ffmpeg(&format!("-f lavfi -i testsrc2=size=1000x500 -frames:v 1 {}", path.display()));
    let (_, stored) = process(&path, MediaKind::Image).unwrap();
    let output = directory.path().join("copies");
    let job = Job { kind: MediaKind::Image, input: stored, output: output.clone() };
    let copies = pool().shrink(&job, &WIDTHS).unwrap();
    let sizes: Vec<_> = copies.iter().map(|copy| (copy.width, copy.height)).collect();
    assert_eq!(sizes, [(640, 320), (200, 100)]);
    let bytes = std::fs::read(&output).unwrap();
    let (first, second) = bytes.split_at(copies[0].bytes as usize);
    assert_eq!(second.len() as u64, copies[1].bytes);
    assert!(first.starts_with(b"RIFF") && second.starts_with(b"RIFF"));
}

const WIDTHS: [NonZeroU32; 3] =
    [NonZeroU32::new(200).unwrap(), NonZeroU32::new(640).unwrap(), NonZeroU32::new(1000).unwrap()];

#[test]
fn a_file_that_is_not_an_image_has_no_smaller_copies() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("image");
    std::fs::write(&input, "a text").unwrap();
    let job = Job { kind: MediaKind::Image, input, output: directory.path().join("copies") };
    let made = pool().shrink(&job, &WIDTHS);
    assert!(matches!(&made, Err(Failure::Refused(message)) if message.contains("image")), "{made:?}");
}

#[test]
fn a_large_image_has_low_priority() {
    let directory = tempfile::tempdir().unwrap();
    // A copy of the worker with a unique name, to find it among all processes.
    let worker = directory.path().join("worker-of-large-images");
    std::fs::copy(program().path, &worker).unwrap();
    let settings = WorkerPoolSettings { children: 1, memory: 1 << 30, cpu_seconds: 600, wall_seconds: 600 };
    let pool = WorkerPool::new(Program { path: worker.clone(), ..program() }, settings);
    let path = directory.path().join("image.png");
    ffmpeg(&format!("-f lavfi -i color=size=4600x4600 -frames:v 1 {}", path.display()));
    let job = Job { kind: MediaKind::Image, input: path, output: directory.path().join("output") };
    std::thread::scope(|scope| {
        let work = scope.spawn(|| pool.process(&job));
        let mut seen = false;
        while !work.is_finished() {
            seen |= priorities(worker.to_str().unwrap()).contains(&19);
        }
        assert_eq!(work.join().unwrap(), Ok(Done { dimensions: Some((4600, 4600)) }));
        assert!(seen, "its priority was low");
    });
}

/// Priorities of the processes with this name.
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
