//! The similarity of two images: 1 is identical. In 4:2:0, because that is what JPEG and lossy WebP store.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::run;

const COMPARE: &str = "[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]ssim";

/// The WebP is decoded by libwebp's own tool.
pub fn ssim(source: &Path, webp: &Path) -> Result<f64> {
    let decoded = webp.with_extension("ppm");
    run(Command::new("dwebp").args(["-quiet", "-ppm"]).arg(webp).arg("-o").arg(&decoded))?;
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-hide_banner", "-nostats", "-i"]).arg(source).arg("-i").arg(&decoded);
    let done = run(command.args(["-lavfi", COMPARE, "-f", "null", "-"]))?;
    std::fs::remove_file(decoded)?;
    parse(&String::from_utf8_lossy(&done.stderr)).context("ffmpeg's SSIM")
}

fn parse(log: &str) -> Option<f64> {
    log.rsplit_once("All:")?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_of_all_planes_is_found_in_the_log() {
        let log = "frame=1\n[Parsed_ssim_2 @ 0x5] SSIM Y:0.977 (16.4) U:0.98 (17.2) V:0.98 (17.4) All:0.9788 (16.7)\n";
        assert_eq!(parse(log), Some(0.9788));
        assert_eq!(parse("nothing"), None);
    }
}
