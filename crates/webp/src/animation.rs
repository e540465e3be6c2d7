//! Encodes frames, one after the other, as an animation. Only the differences between frames are stored.

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use libwebp_sys as ffi;

use crate::picture::Picture;
use crate::{Compression, Error, Image, check_size, config};

/// The version of libwebp's structures that this was compiled for.
const MUX_ABI: c_int = ffi::WEBP_MUX_ABI_VERSION as c_int;

pub struct Animation {
    encoder: NonNull<ffi::WebPAnimEncoder>,
    config: ffi::WebPConfig,
    width: u32,
    height: u32,
    /// When the next frame begins, in milliseconds.
    at: c_int,
}

impl Animation {
    /// `plays` is how often the animation runs; 0 means forever. Each frame is compressed as specified, or losslessly
    /// if it has so few colours that this may be smaller.
    pub fn new(width: u32, height: u32, plays: u16, compression: Compression) -> Result<Animation, Error> {
        check_size(width, height)?;
        let config = config::of(compression)?;
        let mut options = MaybeUninit::<ffi::WebPAnimEncoderOptions>::zeroed();
        // SAFETY: the pointer is to a complete WebPAnimEncoderOptions, which the call fills; all zeros are a valid
        // value of the plain numbers it consists of.
        let mut options = unsafe {
            ffi::WebPAnimEncoderOptionsInitInternal(options.as_mut_ptr(), MUX_ABI);
            options.assume_init()
        };
        options.anim_params.loop_count = c_int::from(plays);
        options.allow_mixed = 1;
        // SAFETY: the options are initialised, and copied by the call.
        let encoder =
            unsafe { ffi::WebPAnimEncoderNewInternal(width as c_int, height as c_int, &options, MUX_ABI) };
        let encoder = NonNull::new(encoder).ok_or_else(|| Error::Encoder("out of memory".to_owned()))?;
        Ok(Animation { encoder, config, width, height, at: 0 })
    }

    /// Shows the frame for this many milliseconds.
    pub fn add(&mut self, frame: Image<'_>, milliseconds: u32) -> Result<(), Error> {
        if (frame.width, frame.height) != (self.width, self.height) {
            return Err(Error::Size(frame.width, frame.height));
        }
        let until = c_int::try_from(milliseconds).ok().and_then(|time| self.at.checked_add(time));
        let until = until.ok_or(Error::Duration)?;
        let mut picture = Picture::import(frame, true)?;
        // SAFETY: encoder, picture and config are initialised; the encoder copies the picture's pixels and does not
        // keep the pointers.
        let added = unsafe {
            ffi::WebPAnimEncoderAdd(self.encoder.as_ptr(), picture.as_mut_ptr(), self.at, &self.config)
        };
        if added == 0 {
            return Err(self.error());
        }
        self.at = until;
        Ok(())
    }

    /// Returns the encoded file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let encoder = self.encoder.as_ptr();
        let mut data = ffi::WebPData { bytes: ptr::null(), size: 0 };
        // SAFETY: the encoder is initialised; a null frame marks the end of the last one; `data` is empty and is filled
        // by the second call.
        let done = unsafe {
            ffi::WebPAnimEncoderAdd(encoder, ptr::null_mut(), self.at, ptr::null()) != 0
                && ffi::WebPAnimEncoderAssemble(encoder, &mut data) != 0
        };
        if !done || data.bytes.is_null() {
            return Err(self.error());
        }
        // SAFETY: `data` holds `size` bytes, allocated by libwebp; they are copied, then freed once.
        unsafe {
            let file = std::slice::from_raw_parts(data.bytes, data.size).to_vec();
            ffi::WebPDataClear(&mut data);
            Ok(file)
        }
    }

    fn error(&self) -> Error {
        // SAFETY: the encoder is initialised; its message is a C string that it owns, copied before anything changes
        // it.
        let message = unsafe {
            let message = ffi::WebPAnimEncoderGetError(self.encoder.as_ptr());
            if message.is_null() { c"unknown".to_owned() } else { CStr::from_ptr(message).to_owned() }
        };
        Error::Encoder(message.to_string_lossy().into_owned())
    }
}

impl Drop for Animation {
    fn drop(&mut self) {
        // SAFETY: the encoder exists and is deleted once.
        unsafe { ffi::WebPAnimEncoderDelete(self.encoder.as_ptr()) }
    }
}
