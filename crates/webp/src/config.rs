//! Compression settings for libwebp.

use libwebp_sys as ffi;

use crate::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Quality from 0 to 100; method from 0 (fast) to 6 (small).
    Lossy { quality: u8, method: u8 },
    /// Level from 0 (fast) to 9 (small).
    Lossless { level: u8 },
}

impl Compression {
    /// Lossy compression starts from YUV, lossless from ARGB.
    pub(crate) fn wants_argb(self) -> bool {
        matches!(self, Compression::Lossless { .. })
    }
}

pub(crate) fn of(compression: Compression) -> Result<ffi::WebPConfig, Error> {
    let unknown = || Error::Encoder(format!("invalid compression settings: {compression:?}"));
    let mut config = ffi::WebPConfig::new().map_err(|()| unknown())?;
    match compression {
        Compression::Lossy { quality, method } => {
            config.quality = f32::from(quality);
            config.method = i32::from(method);
        }
        Compression::Lossless { level } => {
            // SAFETY: the pointer is to an initialised WebPConfig.
            if unsafe { ffi::WebPConfigLosslessPreset(&mut config, i32::from(level)) } == 0 {
                return Err(unknown());
            }
        }
    }
    // SAFETY: the pointer is to an initialised WebPConfig.
    if unsafe { ffi::WebPValidateConfig(&config) } == 0 { Err(unknown()) } else { Ok(config) }
}
