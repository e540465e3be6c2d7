use gif::{DisposalMethod, Encoder, Frame, Repeat};
use image_webp::LoopCount;
use picture::{Error, Limits};

use crate::{convert, decoder, pixels, refusal, roughly, tenths};

const RED: [u8; 4] = [15, 0, 0, 15];
const GREEN: [u8; 4] = [0, 15, 0, 15];
const CLEAR: [u8; 4] = [0; 4];

/// 0 is red, 1 green, 2 transparent.
const PALETTE: [u8; 9] = [255, 0, 0, 0, 255, 0, 9, 9, 9];

fn gif(frames: &[Frame<'static>], repeat: Repeat) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 16, 16, &PALETTE).unwrap();
    encoder.set_repeat(repeat).unwrap();
    for frame in frames {
        encoder.write_frame(frame).unwrap();
    }
    drop(encoder);
    file
}

/// A square at (side, side) for this many hundredths of a second.
fn square(index: u8, side: u16, delay: u16, dispose: DisposalMethod) -> Frame<'static> {
    let (left, size) = if side == 16 { (0, 16) } else { (side, side) };
    Frame {
        delay,
        dispose,
        left,
        top: left,
        width: size,
        height: size,
        transparent: Some(2),
        buffer: vec![index; usize::from(size).pow(2)].into(),
        ..Frame::default()
    }
}

/// The colours at the top left and in the middle of the second quarter.
fn colours_at(frame: &image::RgbaImage) -> [[u8; 4]; 2] {
    [(2, 2), (10, 10)].map(|(x, y)| roughly(frame.get_pixel(x, y).0))
}

#[test]
fn frames_delays_and_disposal_are_kept() {
    let file = gif(
        &[
            square(0, 16, 20, DisposalMethod::Keep),
            square(1, 8, 10, DisposalMethod::Previous),
            square(2, 8, 10, DisposalMethod::Keep),
            square(1, 8, 30, DisposalMethod::Background),
            square(2, 8, 10, DisposalMethod::Keep),
        ],
        Repeat::Infinite,
    );
    let converted = convert(&file);
    let shown: Vec<_> = tenths(&converted).iter().map(colours_at).collect();
    let (all_red, dot, hole) = ([RED, RED], [RED, GREEN], [RED, CLEAR]);
    assert_eq!(shown, [all_red, all_red, dot, all_red, dot, dot, dot, hole]);
    assert_eq!(decoder(&converted).loop_count(), LoopCount::Forever);
}

#[test]
fn an_animation_runs_as_often_as_the_gif() {
    let frames = [square(0, 16, 10, DisposalMethod::Keep), square(1, 16, 10, DisposalMethod::Keep)];
    let plays = |repeat| match decoder(&convert(&gif(&frames, repeat))).loop_count() {
        LoopCount::Forever => 0,
        LoopCount::Times(times) => times.get(),
    };
    assert_eq!(plays(Repeat::Infinite), 0);
    assert_eq!(plays(Repeat::Finite(3)), 4, "once, and three times again");
    assert_eq!(plays(Repeat::Finite(0)), 1, "a GIF that says nothing runs once");
}

#[test]
fn a_frame_without_a_delay_is_shown_as_browsers_show_it() {
    let frames = [square(0, 16, 0, DisposalMethod::Keep), square(1, 16, 1, DisposalMethod::Keep)];
    let shown = tenths(&convert(&gif(&frames, Repeat::Infinite)));
    assert_eq!(shown.iter().map(colours_at).collect::<Vec<_>>(), [[RED, RED], [GREEN, GREEN]]);
}

#[test]
fn a_gif_with_one_frame_is_a_still() {
    let converted = convert(&gif(&[square(1, 8, 10, DisposalMethod::Keep)], Repeat::Infinite));
    assert!(!decoder(&converted).is_animated());
    assert_eq!(colours_at(&pixels(&converted)), [CLEAR, GREEN]);
}

#[test]
fn too_many_frames_are_refused_before_any_is_decoded() {
    let frames = vec![square(0, 16, 10, DisposalMethod::Keep); 501];
    convert(&gif(&frames[..500], Repeat::Infinite));
    let error = refusal(&gif(&frames, Repeat::Infinite));
    assert!(matches!(error, Error::TooLarge(_)), "{error}");

    // Its frames cannot be decoded, yet it is rejected for their number.
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 16, 16, &PALETTE).unwrap();
    for _ in 0..501 {
        encoder
            .write_lzw_pre_encoded_frame(&Frame { buffer: vec![2, 0xff, 0xff].into(), ..frames[0].clone() })
            .unwrap();
    }
    drop(encoder);
    assert!(matches!(refusal(&file), Error::TooLarge(_)));
}

#[test]
fn the_memory_of_all_frames_together_is_limited() {
    let file = gif(&vec![square(0, 16, 10, DisposalMethod::Keep); 10], Repeat::Infinite);
    let run = |memory| picture::to_webp(&file, &Limits { memory, ..Limits::default() }, &mut Vec::new());
    run(16 * 16 * 4 * 10).unwrap();
    assert!(matches!(run(16 * 16 * 4 * 10 - 1), Err(Error::TooLarge(_))));
}

#[test]
fn a_truncated_file_is_shown_as_far_as_it_goes() {
    let frames = [square(0, 16, 10, DisposalMethod::Keep), square(1, 16, 10, DisposalMethod::Keep)];
    let file = gif(&frames, Repeat::Infinite);
    let shown = tenths(&convert(&file[..file.len() - 1]));
    assert_eq!(shown.len(), 2, "only the mark of the end is missing");
    let shown = convert(&file[..file.len() - 5]);
    assert_eq!(colours_at(&pixels(&shown)), [RED, RED], "the second frame is broken");
}
