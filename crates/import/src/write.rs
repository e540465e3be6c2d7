//! Writes the folder.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::error::Error;
use crate::front_matter;
use crate::site::Site;

/// An import never overwrites anything.
pub(crate) fn check_empty(folder: &Path) -> Result<(), Error> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(Error::NotEmpty(folder.to_owned())),
        Ok(false) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("open", folder)(error)),
    }
}

pub(crate) fn write(site: &Site, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    for page in &site.pages {
        create(&folder.join(&page.path), front_matter::write(page).as_bytes())?;
    }
    for (path, file) in &site.files {
        let bytes = fs::read(file).map_err(Error::io("read", file))?;
        create(&folder.join(path), &bytes)?;
    }
    Ok(())
}

fn create(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(path).map_err(Error::io("create", path))?;
    file.write_all(bytes).map_err(Error::io("write", path))
}
