//! Markdown: sentences with emphasis, code and links; headings, lists, tables and quotations.

use super::code;
use super::dice::Dice;
use super::words::{SMALL, WORDS};

/// About `length` bytes: prose first, then what every page has (a table, an ordered list, one to three code blocks).
pub fn content(dice: &mut Dice, links: &[String], length: usize) -> String {
    let mut end = vec![heading(dice, 2), paragraph(dice, links), code::block(dice)];
    if dice.percent(70) {
        end.extend([paragraph(dice, links), code::block(dice)]);
    }
    if dice.percent(30) {
        end.extend([heading(dice, 3), code::block(dice)]);
    }
    end.extend([heading(dice, 2), table(dice), ordered_list(dice, links)]);
    let mut blocks = vec![paragraph(dice, links)];
    let mut size = end.iter().map(|block| block.len() + 2).sum::<usize>() + blocks[0].len();
    while size < length {
        let block = prose_block(dice, links);
        size += block.len() + 2;
        blocks.push(block);
    }
    blocks.push(format!("See also [{}]({}).", dice.pick(&WORDS), links[0]));
    blocks.extend(end);
    blocks.join("\n\n") + "\n"
}

fn prose_block(dice: &mut Dice, links: &[String]) -> String {
    match dice.roll(20) {
        0..4 => heading(dice, 2),
        4..6 => heading(dice, 3),
        6..8 => list(dice, links),
        8 => format!("> {}", paragraph(dice, links)),
        _ => paragraph(dice, links),
    }
}

pub fn paragraph(dice: &mut Dice, links: &[String]) -> String {
    let sentences: Vec<String> = (0..dice.between(2, 5)).map(|_| decorated(dice, links)).collect();
    sentences.join(" ")
}

fn word(dice: &mut Dice) -> &'static str {
    match dice.percent(45) {
        true => SMALL[dice.low(SMALL.len())],
        false => &WORDS[dice.low(WORDS.len())],
    }
}

fn words(dice: &mut Dice) -> Vec<String> {
    let mut words: Vec<String> = (0..dice.between(7, 18)).map(|_| word(dice).to_owned()).collect();
    words[0] = capitalised(&words[0]);
    words
}

pub fn sentence(dice: &mut Dice) -> String {
    words(dice).join(" ") + "."
}

/// A sentence in which a word may be emphasised, code or a link.
fn decorated(dice: &mut Dice, links: &[String]) -> String {
    let mut words = words(dice);
    let identity = dice.roll(words.len());
    let word = &words[identity];
    words[identity] = match dice.roll(20) {
        0..2 => format!("**{word}**"),
        2..4 => format!("*{word}*"),
        4..6 => format!("`{}_{}()`", dice.pick(&WORDS), dice.pick(&WORDS)),
        6..8 => format!("[{word} {}]({})", dice.pick(&WORDS), dice.pick(links)),
        _ => word.clone(),
    };
    words.join(" ") + "."
}

pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

fn heading(dice: &mut Dice, level: usize) -> String {
    let text = sentence(dice);
    format!("{} {}", "#".repeat(level), text.trim_end_matches('.'))
}

fn list(dice: &mut Dice, links: &[String]) -> String {
    let mut lines = Vec::new();
    for _ in 0..dice.between(3, 6) {
        lines.push(format!("- {}", decorated(dice, links)));
        if dice.percent(20) {
            lines.push(format!("  - {}", sentence(dice)));
        }
    }
    lines.join("\n")
}

fn ordered_list(dice: &mut Dice, links: &[String]) -> String {
    let lines: Vec<String> =
        (1..=dice.between(3, 6)).map(|number| format!("{number}. {}", decorated(dice, links))).collect();
    lines.join("\n")
}

fn table(dice: &mut Dice) -> String {
    let columns = dice.between(3, 4);
    let head: Vec<String> = (0..columns).map(|_| capitalised(dice.pick(&WORDS).as_str())).collect();
    let mut lines = vec![format!("| {} |", head.join(" | ")), format!("|{}", "---|".repeat(columns))];
    for _ in 0..dice.between(4, 7) {
        let cells: Vec<String> = (0..columns).map(|_| format!("{} {}", word(dice), word(dice))).collect();
        lines.push(format!("| {} |", cells.join(" | ")));
    }
    lines.join("\n")
}
