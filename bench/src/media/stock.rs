//! The test images, generated for every run, always the same.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::photo::{self, Scene};
use super::{ffmpeg, run};
use crate::corpus;

/// From dense to sparse.
const SCENES: [Scene; 3] = [
    Scene { seed: 1, finest: 2.5, grain: 0.3 },
    Scene { seed: 2, finest: 8.0, grain: 0.2 },
    Scene { seed: 3, finest: 30.0, grain: 0.1 },
];

/// JPEGs of 12 megapixels.
pub fn photos(directory: &Path) -> Result<[PathBuf; 3]> {
    let paths = [1, 2, 3].map(|number| directory.join(format!("photo-{number}.jpg")));
    for (scene, path) in SCENES.into_iter().zip(&paths) {
        photo::write(scene, path)?;
    }
    Ok(paths)
}

/// Screenshots of 1920×1080: a window to read in and one to write in.
pub fn screenshots(directory: &Path) -> Result<[PathBuf; 2]> {
    let pages = corpus::pages(2);
    let prose = wrapped(&pages[0].content, 110);
    let names = wrapped(&pages[0].description, 24);
    let (text, aside) = (directory.join("text"), directory.join("aside"));
    let [reader, editor] = ["reader.png", "editor.png"].map(|name| directory.join(name));

    fs::write(&text, prose)?;
    fs::write(&aside, names)?;
    let boxes =
        [(0, 0, 1920, 60, "0x24292f"), (0, 60, 320, 1020, "0xf0f2f5"), (1500, 100, 380, 220, "0x3b82f6")];
    let texts = [(&aside, "Sans", 18, "0x2850a0", 24, 90), (&text, "Sans", 19, "0x1a1a1a", 360, 90)];
    draw(&reader, "white", &boxes, &texts)?;

    // As many lines as fit above the bar.
    fs::write(&text, pages[1].content.lines().take(42).collect::<Vec<_>>().join("\n"))?;
    let boxes =
        [(0, 0, 300, 1080, "0x21252b"), (0, 1050, 1920, 30, "0x007acc"), (300, 240, 1620, 26, "0x2c313c")];
    let texts = [(&aside, "Sans", 16, "0x9da5b4", 20, 40), (&text, "SansMono", 16, "0xd7dae0", 330, 20)];
    draw(&editor, "0x282c34", &boxes, &texts)?;
    Ok([reader, editor])
}

/// Left, top, width, height, colour.
type Box = (u32, u32, u32, u32, &'static str);
/// File, font, size, colour, left, top.
type Text<'a> = (&'a PathBuf, &'static str, u32, &'static str, u32, u32);

fn draw(to: &Path, ground: &str, boxes: &[Box], texts: &[Text]) -> Result<()> {
    let mut drawing = format!("color=c={ground}:s=1920x1080,format=rgb24");
    for (x, y, width, height, colour) in boxes {
        drawing += &format!(",drawbox=x={x}:y={y}:w={width}:h={height}:color={colour}:t=fill");
    }
    for (text, font, size, colour, x, y) in texts {
        let font = format!("/usr/share/fonts/truetype/dejavu/DejaVu{font}.ttf");
        drawing += &format!(
            ",drawtext=fontfile={font}:textfile={}:fontsize={size}:fontcolor={colour}:x={x}:y={y}\
             :line_spacing=8:expansion=none",
            text.display()
        );
    }
    run(ffmpeg().args(["-f", "lavfi", "-i", &drawing, "-frames:v", "1"]).arg(to)).map(drop)
}

/// Lines of at most this many characters, unless a word is longer.
fn wrapped(text: &str, most: usize) -> String {
    let (mut wrapped, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let fits = length + word.len() < most;
        wrapped.push(if fits { ' ' } else { '\n' });
        length = if fits { length + 1 + word.len() } else { word.len() };
        wrapped.push_str(word);
    }
    wrapped.trim_start().to_owned()
}

/// Two and a half seconds of a camera moving over a photo, 480×360, as a GIF.
pub fn animation(photo: &Path) -> Result<PathBuf> {
    let to = photo.with_file_name("animation.gif");
    let moving = "scale=960:-2,loop=39:1,setpts=N/16/TB,crop=480:360:n*6:n*4,split[a][b];\
                  [a]palettegen[palette];[b][palette]paletteuse";
    run(ffmpeg().arg("-i").arg(photo).args(["-filter_complex", moving, "-r", "16"]).arg(&to))?;
    Ok(to)
}

/// A hundred different images: 64 photos of 2 megapixels, 35 screenshots, a GIF.
pub fn hundred(directory: &Path, photo: &Path, screenshot: &Path, animation: &Path) -> Result<Vec<PathBuf>> {
    cut(photo, "loop=63:1,crop=1600:1200:n*35:n*25", &directory.join("cut-%02d.jpg"))?;
    cut(screenshot, "loop=34:1,crop=1280:720:n*18:n*10", &directory.join("cut-%02d.png"))?;
    let photos = (1..=64).map(|number| directory.join(format!("cut-{number:02}.jpg")));
    let screenshots = (1..=35).map(|number| directory.join(format!("cut-{number:02}.png")));
    // Mixed, so that expensive ones are not all at the end.
    let mut images: Vec<PathBuf> = photos.chain(screenshots).chain([animation.to_owned()]).collect();
    images.sort_by_key(|path| path.file_stem().map(ToOwned::to_owned));
    Ok(images)
}

fn cut(from: &Path, filter: &str, to: &Path) -> Result<()> {
    run(ffmpeg().arg("-i").arg(from).args(["-vf", filter, "-q:v", "2"]).arg(to)).map(drop)
}
