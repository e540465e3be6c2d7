//! A `WebPPicture` that frees its memory.

use std::ffi::c_int;

use libwebp_sys as ffi;

use crate::{Channels, Error, Image};

pub(crate) struct Picture(ffi::WebPPicture);

impl Picture {
    pub(crate) fn import(image: Image<'_>, argb: bool) -> Result<Picture, Error> {
        let picture =
            ffi::WebPPicture::new().map_err(|()| Error::Encoder("cannot create a picture".to_owned()))?;
        let mut picture = Picture(picture);
        picture.0.use_argb = c_int::from(argb);
        // `Image` has checked that the dimensions fit, so these casts lose nothing.
        picture.0.width = image.width as c_int;
        picture.0.height = image.height as c_int;
        let stride = (image.width * image.channels as u32) as c_int;
        let bytes = image.bytes.as_ptr();
        // SAFETY: the picture is initialised and its dimensions are set; libwebp reads `height` rows of `stride` bytes,
        // which is exactly the size of `bytes` that `Image::new` checked.
        let imported = unsafe {
            match image.channels {
                Channels::Rgb => ffi::WebPPictureImportRGB(&mut picture.0, bytes, stride),
                Channels::Rgba => ffi::WebPPictureImportRGBA(&mut picture.0, bytes, stride),
            }
        };
        if imported == 0 { Err(picture.error()) } else { Ok(picture) }
    }

    pub(crate) fn encode(mut self, config: &ffi::WebPConfig) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        self.0.writer = Some(append);
        self.0.custom_ptr = (&raw mut file).cast();
        // SAFETY: picture and config are initialised; `append` finds in `custom_ptr` the Vec it expects, which outlives
        // the call and is not accessed by anything else during it.
        let encoded = unsafe { ffi::WebPEncode(config, &mut self.0) };
        if encoded == 0 { Err(self.error()) } else { Ok(file) }
    }

    /// For calls that take a picture and do not keep the pointer.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut ffi::WebPPicture {
        &mut self.0
    }

    fn error(&self) -> Error {
        Error::Encoder(format!("{:?}", self.0.error_code))
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: the picture was initialised and is freed once.
        unsafe { ffi::WebPPictureFree(&mut self.0) }
    }
}

/// Receives the output of libwebp.
extern "C" fn append(data: *const u8, size: usize, picture: *const ffi::WebPPicture) -> c_int {
    // SAFETY: libwebp passes `size` readable bytes and the picture from `Picture::encode`, whose `custom_ptr` is a Vec
    // that only this function uses while `WebPEncode` runs.
    unsafe {
        if size > 0 {
            let file = &mut *(*picture).custom_ptr.cast::<Vec<u8>>();
            file.extend_from_slice(std::slice::from_raw_parts(data, size));
        }
    }
    1
}
