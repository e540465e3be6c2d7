//! Draws a card: `cargo run -p recto-card --example card FILE TITLE SITE SECTION RRGGBB`

use card::Card;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let mut next = || words.next().unwrap_or_default();
    let (file, title, site, section) = (next(), next(), next(), next());
    let colour = u32::from_str_radix(&next(), 16).unwrap_or(0xa3301a).to_be_bytes();
    let accent = [colour[1], colour[2], colour[3]];
    std::fs::write(file, Card { title, section, site, accent }.png())
}
