//! One file per format.

pub(crate) mod gif;
pub(crate) mod jpeg;
pub(crate) mod png;
pub(crate) mod webp;

use image::ImageResult;

use crate::Error;
use crate::animation::Frame;

fn frame(decoded: ImageResult<image::Frame>) -> Result<Frame, Error> {
    let frame = decoded.map_err(Error::undecodable)?;
    let (numerator, denominator) = frame.delay().numer_denom_ms();
    Ok(Frame { milliseconds: numerator / denominator.max(1), image: frame.into_buffer() })
}
