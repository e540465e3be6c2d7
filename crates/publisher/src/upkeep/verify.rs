//! Reads everything that is stored, and compares it with its rows. It changes nothing.

use std::pin::pin;

use blob::Key;
use futures_util::StreamExt;
use model::{AccountId, MediaHash, ObjectId, PageId};
use serde::Serialize;
use store::files::{self, PackedFile, Stored};
use store::sites::Site;
use store::{accounts, copies, media, objects, releases, sites, texts, usage};

use crate::{Error, Publisher};

/// Rows that are read at a time.
const ROWS: i64 = 1000;

/// Something that is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The site's name, if it belongs to a site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    pub what: String,
}

/// What was checked, and the damage that was found.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub sites: u64,
    pub pages: u64,
    pub files: u64,
    pub media: u64,
    pub bytes: u64,
    pub damage: Vec<Damage>,
}

impl Publisher {
    /// Checks everything of every site. `progress` is called with the result so far.
    pub async fn verify(&self, mut progress: impl FnMut(&Verified)) -> Result<Verified, Error> {
        let mut found = Verified::default();
        let all = self.read(|tx| Ok((sites::list(tx)?, accounts::list(tx)?))).await?;
        let (sites, accounts) = all;
        for site in &sites {
            self.verify_texts(site, &mut found).await?;
            self.verify_releases(site, &mut found, &mut progress).await?;
            self.verify_media(site, &mut found, &mut progress).await?;
            found.sites += 1;
            progress(&found);
        }
        for account in accounts {
            found.damage.extend(self.verify_usage(account.id).await?);
        }
        Ok(found)
    }

    async fn verify_texts(&self, site: &Site, found: &mut Verified) -> Result<(), Error> {
        let (id, mut behind): (_, Option<PageId>) = (site.id, None);
        loop {
            let missing = self.read(move |tx| Ok(texts::missing(tx, id, behind, ROWS)?)).await?;
            let Some(last) = missing.last() else { break };
            behind = Some(*last);
            found
                .damage
                .extend(missing.iter().map(|page| damage(site, format!("page {page}: its text is missing"))));
        }
        let counted = self.read(move |tx| {
            let staged = files::staged(tx, id)?;
            Ok((store::pages::count(tx, id)?, staged, store::building::is_open(tx, id)?))
        });
        let (pages, staged, is_open) = counted.await?;
        found.pages += pages as u64;
        // A build that is open ends its release or undoes it, also after a crash.
        if let (Some(release), false) = (staged, is_open) {
            let what = format!("release {release} was begun and never ended; the next build undoes it");
            found.damage.push(damage(site, what));
        }
        Ok(())
    }

    async fn verify_releases(
        &self,
        site: &Site,
        found: &mut Verified,
        progress: &mut impl FnMut(&Verified),
    ) -> Result<(), Error> {
        let (id, mut last): (_, Option<PackedFile>) = (site.id, None);
        let newest = self.read(move |tx| Ok(releases::newest(tx, id)?)).await?;
        let newest = newest.map_or(0, |release| release.number);
        loop {
            let behind = last.clone();
            let places = self.read(move |tx| Ok(files::packed_files(tx, id, behind.as_ref(), ROWS)?)).await?;
            let Some(end) = places.last() else { return Ok(()) };
            last = Some(end.clone());
            // Files of a release that is being built are not checked.
            for place in places.into_iter().filter(|place| place.from_release <= newest) {
                found.files += 1;
                found.bytes += place.length as u64;
                if let Some(problem) = self.problem_of(&place).await? {
                    found.damage.push(damage(site, format!("{}: {problem}", place.path)));
                }
            }
            progress(found);
        }
    }

    async fn problem_of(&self, place: &PackedFile) -> Result<Option<String>, Error> {
        let &PackedFile { pack, offset, length, hash, from_release, .. } = place;
        match self.fetch(Stored::Bytes { pack, offset, length, hash }).await {
            Ok(_) => Ok(None),
            Err(error @ blob::Error::Damaged(_)) => Ok(Some(error.to_string())),
            Err(blob::Error::Missing(_)) => {
                // Since the row was read, its bytes may have been moved or swept.
                let (site, path) = (place.site, place.path.clone());
                match self.read(move |tx| Ok(files::at(tx, site, from_release, &path)?)).await? {
                    Some(Stored::Bytes { pack: now, .. }) if now == pack => {
                        Ok(Some(format!("pack {pack} is missing")))
                    }
                    _ => Ok(None),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn verify_media(
        &self,
        site: &Site,
        found: &mut Verified,
        progress: &mut impl FnMut(&Verified),
    ) -> Result<(), Error> {
        let (id, mut behind) = (site.id, None);
        loop {
            let some = self.read(move |tx| Ok(media::list(tx, id, behind, ROWS)?)).await?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = Some((last.created_at, last.hash));
            for medium in some {
                let hash = medium.hash;
                let object = self.read(move |tx| Ok(objects::of_hash(tx, id, hash)?)).await?;
                // Deleted since it was listed.
                let Some((object, size)) = object else { continue };
                found.media += 1;
                found.bytes += size;
                if let Some(problem) = self.problem_of_medium(object, size, hash).await? {
                    found.damage.push(damage(site, format!("media {hash}: {problem}")));
                }
                self.verify_copies(site, hash, found).await?;
                progress(found);
            }
        }
    }

    /// The smaller copies of an image.
    async fn verify_copies(&self, site: &Site, image: MediaHash, found: &mut Verified) -> Result<(), Error> {
        let id = site.id;
        for copy in self.read(move |tx| Ok(copies::of_image(tx, id, image)?)).await? {
            found.bytes += copy.size;
            let problem = self.problem_of_medium(copy.object, copy.size, copy.hash).await?;
            let Some(problem) = problem else { continue };
            // It may have been deleted since it was listed.
            let left = self.read(move |tx| Ok(copies::of_image(tx, id, image)?)).await?;
            if left.contains(&copy) {
                let width = copy.dimensions.width;
                found.damage.push(damage(site, format!("media {image}, {width} pixels wide: {problem}")));
            }
        }
        Ok(())
    }

    async fn problem_of_medium(
        &self,
        object: ObjectId,
        size: u64,
        hash: MediaHash,
    ) -> Result<Option<String>, Error> {
        let stream = match self.blob.read_stream(&Key::media(object), 0..size).await {
            Err(blob::Error::Missing(_)) => return Ok(Some("its bytes are missing".into())),
            stream => stream?,
        };
        let (mut stream, mut hasher) = (pin!(stream), blake3::Hasher::new());
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => drop(hasher.update(&piece)),
                // Most likely too short.
                Err(error) => return Ok(Some(error.to_string())),
            }
        }
        let same = MediaHash::of_digest(hasher.finalize().as_bytes()) == hash;
        Ok((!same).then(|| "the stored bytes are damaged".into()))
    }

    async fn verify_usage(&self, account: AccountId) -> Result<Option<Damage>, Error> {
        let counts =
            self.read(move |tx| Ok((usage::of_account(tx, account)?, usage::recounted(tx, account)?)));
        let (counted, real) = counts.await?;
        let what = || format!("account {account}: what it uses is counted as {counted:?}, but is {real:?}");
        Ok((counted != real).then(|| Damage { site: None, what: what() }))
    }
}

fn damage(site: &Site, what: String) -> Damage {
    Damage { site: Some(site.name.as_str().to_owned()), what }
}
