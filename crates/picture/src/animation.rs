//! Encodes frames as an animation, one at a time.

use image::{DynamicImage, RgbaImage};
use webp::Image;

use crate::still::LOSSY;
use crate::view::View;
use crate::{Dimensions, Error, File};

/// An image with its duration.
pub(crate) struct Frame {
    pub(crate) image: RgbaImage,
    pub(crate) milliseconds: u32,
}

/// `plays` is how often the animation runs; 0 means forever.
pub(crate) fn encode(
    frames: impl IntoIterator<Item = Result<Frame, Error>>,
    plays: u16,
    view: &View,
) -> Result<File, Error> {
    let mut file: Option<(webp::Animation, Dimensions)> = None;
    for frame in frames {
        let frame = frame?;
        let image = view.apply(DynamicImage::from(frame.image))?.into_rgba8();
        let (width, height) = image.dimensions();
        let (animation, _) = match &mut file {
            Some(file) => file,
            None => file
                .insert((webp::Animation::new(width, height, plays, LOSSY)?, Dimensions { width, height })),
        };
        animation.add(Image::rgba(width, height, &image)?, shown_for(frame.milliseconds))?;
    }
    let (animation, dimensions) = file.ok_or(Error::Broken("it has no frames"))?;
    Ok(File { bytes: animation.finish()?, dimensions })
}

/// Browsers show a frame with a duration of zero, or shorter than they can draw, for a tenth of a second. We store
/// that, so that all of them do the same.
fn shown_for(milliseconds: u32) -> u32 {
    if milliseconds <= 10 { 100 } else { milliseconds }
}
