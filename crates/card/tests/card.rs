//! Cards and icons, read by another decoder.

#![allow(clippy::unwrap_used)]

use card::Card;

const ACCENT: [u8; 3] = [0xa3, 0x30, 0x1a];

fn of(title: &str) -> Card {
    Card { title: title.into(), section: "Guides".into(), site: "Example".into(), accent: ACCENT }
}

/// Width, height, and the pixels row by row.
fn read(file: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
}

/// The dark pixels where the title is.
fn title_ink(card: &Card) -> usize {
    let (width, _, pixels) = read(&card.png());
    pixels[..(width * 450) as usize].iter().filter(|pixel| pixel[0] < 0x40).count()
}

#[test]
fn a_card_shows_the_title_on_paper_and_the_accent_below() {
    let (width, height, pixels) = read(&of("A title").png());
    assert_eq!((width, height), (card::WIDTH, card::HEIGHT));
    assert_eq!(pixels[0], [0xfd, 0xfc, 0xf9]);
    assert_eq!(pixels[pixels.len() - 1], ACCENT);
    assert!(title_ink(&of("A title")) > 1000);
    assert_ne!(of("A title").png(), of("Another title").png());
    assert_eq!(of("A title").png(), of("A title").png());
}

#[test]
fn a_text_that_the_fonts_do_not_have_is_left_out() {
    for title in ["東京の天気", "مرحبا بالعالم", "Mixed 東京", "🙂"] {
        assert_eq!(of(title).png(), of("Example").png(), "the name of the site instead of {title}");
    }
    let site = |name: &str| Card { site: name.into(), ..of("A title") };
    assert_eq!(site("東京").png(), site("").png());
    assert_eq!(title_ink(&Card { site: "東京".into(), ..of("東京") }), 0);
}

#[test]
fn nothing_is_drawn_outside_the_margins() {
    let wide = "Donaudampfschifffahrtsgesellschaftskapitänskajütentürschlüssel".repeat(3);
    let long = "words and more words ".repeat(40);
    for title in ["A", "Two words", wide.as_str(), long.as_str(), "\u{301}\u{301}", "ffi fj Á"] {
        let (width, _, pixels) = read(&Card { section: long.clone(), ..of(title) }.png());
        for row in pixels.chunks(width as usize).take(600) {
            let margins = row[..80].iter().chain(&row[row.len() - 80..]);
            assert!(margins.into_iter().all(|pixel| *pixel == [0xfd, 0xfc, 0xf9]), "{title}");
        }
        assert!(pixels[..(width * 20) as usize].iter().all(|pixel| *pixel == [0xfd, 0xfc, 0xf9]), "{title}");
    }
}

#[test]
fn a_card_has_a_palette_and_is_small() {
    let overlapping = "AVAVAV ffi fj LTLT WAWA ÄÖÜ ".repeat(8);
    for (title, most) in [("A title", 16_000), (overlapping.as_str(), 70_000)] {
        let file = of(title).png();
        let reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().color_type, png::ColorType::Indexed, "{title}");
        assert!(file.len() < most, "{title}: {} bytes", file.len());
    }
}

#[test]
fn an_icon_is_the_initial_on_the_accent() {
    let (width, height, pixels) = read(&card::icon("… example", ACCENT, 180));
    assert_eq!((width, height, pixels[0]), (180, 180, ACCENT));
    assert!(pixels.contains(&[0xfd, 0xfc, 0xf9]));
    let (_, _, pixels) = read(&card::icon("東京", ACCENT, 32));
    assert!(pixels.iter().all(|pixel| *pixel == ACCENT), "the fonts do not have the letter");
}

#[test]
fn an_ico_holds_a_png() {
    let png = card::icon("a", ACCENT, 32);
    let ico = card::ico(&png, 32);
    assert_eq!(ico[..8], [0, 0, 1, 0, 1, 0, 32, 32]);
    let offset = u32::from_le_bytes(ico[18..22].try_into().unwrap()) as usize;
    assert_eq!(u32::from_le_bytes(ico[14..18].try_into().unwrap()) as usize, png.len());
    assert_eq!(ico[offset..], png);
}
