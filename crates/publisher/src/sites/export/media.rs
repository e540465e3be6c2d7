//! Exports a site's media to the addresses that its pages use.

use std::path::Path;

use model::{MediaUrl, SiteId};
use store::media;
use store::sites::Site;
use store::transcodes::Status;

use super::output::Output;
use crate::{Error, Medium, Publisher};

impl Publisher {
    /// Returns the number of files. `progress` is called after each, with the number so far.
    pub(super) async fn export_media(
        &self,
        site: SiteId,
        output: &Output,
        mut progress: impl FnMut(usize),
    ) -> Result<usize, Error> {
        let mut files = 0;
        for url in self.list_media(site).await?.iter().flat_map(addresses) {
            // It may have been deleted since it was listed.
            let Some(medium) = self.find_medium(site, &url).await? else { continue };
            self.export_medium(medium, output, &url.to_string()).await?;
            // Pages name the smaller copies of an image, so each one is there, if only as the image itself.
            for width in url.smaller_widths() {
                let Some(smaller) = self.find_smaller(site, &url, width).await? else { continue };
                self.export_medium(smaller.medium, output, &url.smaller(width)).await?;
            }
            files += 1;
            progress(files);
        }
        Ok(files)
    }

    /// Writes one uploaded file below a directory, at the path of its address. `false`: the site has no such file.
    pub async fn export_file(&self, site: &Site, address: &str, directory: &Path) -> Result<bool, Error> {
        let Some(url) = MediaUrl::parse(address) else { return Ok(false) };
        let Some(medium) = self.find_medium(site.id, &url).await? else { return Ok(false) };
        self.export_medium(medium, &Output::directory(directory), address).await?;
        Ok(true)
    }

    async fn export_medium(&self, medium: Medium, output: &Output, url: &str) -> Result<(), Error> {
        let pieces = self.read_medium(medium, 0..medium.size).await?;
        output.stream(url.trim_start_matches('/'), medium.size, pieces).await
    }
}

/// The address of each name, and those of the MP4 twins of a MOV.
fn addresses(medium: &media::Medium) -> Vec<MediaUrl> {
    let address =
        |name: &str| MediaUrl { hash: medium.hash, dimensions: medium.dimensions, name: name.to_owned() };
    let has_twins = medium.transcode.as_ref().is_some_and(|transcode| transcode.status == Status::Done);
    let stems = medium.names.iter().filter_map(|name| name.strip_suffix(".mov").filter(|_| has_twins));
    let twins = stems.map(|stem| address(&format!("{stem}.mp4")));
    medium.names.iter().map(|name| address(name)).chain(twins).collect()
}
