//! Decides which page each entry means, which key it will have, and whether that is allowed. A pure function of the
//! request and the pages that were looked up.

use std::collections::{BTreeSet, HashMap, HashSet};

use model::{ContentType, PageId, PageKey, Section, Slug};
use store::pages::Page;

use crate::{Entry, Error, Identity, PageErrors};

pub(crate) const TITLE_REQUIRED: &str = "title is required for new pages";
const NOT_FOUND: &str = "page not found for the provided id";
pub(super) const TAKEN: &str = "slug is already in use in this content type and section";
const AMBIGUOUS: &str =
    "several pages have this slug; give contentType and section, or id, to say which one is meant";

/// What an entry resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Create { key: PageKey },
    Update { id: PageId, old_key: PageKey, key: PageKey },
}

impl Target {
    pub fn key(&self) -> &PageKey {
        match self {
            Target::Create { key } | Target::Update { key, .. } => key,
        }
    }

    fn page(&self) -> Option<PageId> {
        match self {
            Target::Create { .. } => None,
            Target::Update { id, .. } => Some(*id),
        }
    }
}

/// Decides a whole request, given the pages before it. `found` contains at least the live pages with an id that an
/// entry names, and all live pages of the site with a slug that an entry names, derives, keeps or deletes.
pub fn decide(entries: &[Entry], deletes: &[PageKey], found: &[Page]) -> Result<Vec<Target>, Error> {
    let known = Known::new(found);
    let deleted: HashSet<&PageKey> = deletes.iter().collect();
    let mut errors = PageErrors::new();
    let mut targets = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut fields = entry.errors.clone();
        match known.resolve(entry) {
            Ok(target) => targets.push(target),
            Err((field, message)) => {
                fields.entry(field).or_insert(message);
                targets.push(None);
            }
        }
        if !fields.is_empty() {
            errors.insert(index, fields);
        }
    }

    let in_batch = pages_in_batch(entries, &targets);
    for (index, (entry, target)) in entries.iter().zip(&targets).enumerate() {
        let Some(target) = target else { continue };
        for (field, message) in known.errors_of(entry, target, &in_batch, &deleted) {
            errors.entry(index).or_default().entry(field).or_insert(message);
        }
    }
    if !errors.is_empty() {
        return Err(Error::Invalid(errors));
    }
    let targets: Vec<Target> = targets.into_iter().flatten().collect();
    let duplicates = duplicates(&targets);
    if !duplicates.is_empty() {
        return Err(Error::DuplicateSlugs(duplicates));
    }
    let conflicts = conflicts(&targets, &deleted);
    if !conflicts.is_empty() {
        return Err(Error::SlugConflict(conflicts));
    }
    Ok(targets)
}

/// Every page that an entry means. A page named by id counts even if the entry is otherwise invalid.
fn pages_in_batch(entries: &[Entry], targets: &[Option<Target>]) -> HashSet<PageId> {
    let by_target = targets.iter().flatten().filter_map(Target::page);
    let by_id = entries.iter().filter_map(|entry| match &entry.identity {
        Identity::Id { id, .. } | Identity::Unusable { id: Some(id) } => Some(*id),
        _ => None,
    });
    by_target.chain(by_id).collect()
}

/// For each entry with the same page or the same resulting key as an earlier one: the first such entry, and itself.
fn duplicates(targets: &[Target]) -> Vec<[usize; 2]> {
    let mut first_by_key: HashMap<&PageKey, usize> = HashMap::new();
    let mut first_by_page: HashMap<PageId, usize> = HashMap::new();
    let mut pairs = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let same_key = *first_by_key.entry(target.key()).or_insert(index);
        let same_page = target.page().map_or(index, |page| *first_by_page.entry(page).or_insert(index));
        let first = same_key.min(same_page);
        if first < index {
            pairs.push([first, index]);
        }
    }
    pairs
}

/// Entries whose page or resulting key `deleteSlugs` names, too.
fn conflicts(targets: &[Target], deleted: &HashSet<&PageKey>) -> Vec<usize> {
    let names = |target: &Target| match target {
        Target::Create { key } => deleted.contains(key),
        Target::Update { old_key, key, .. } => deleted.contains(key) || deleted.contains(old_key),
    };
    let indexes: BTreeSet<usize> =
        targets.iter().enumerate().filter(|(_, target)| names(target)).map(|(index, _)| index).collect();
    indexes.into_iter().collect()
}

type FieldError = (&'static str, String);

/// The pages that were looked up, by id, key and slug.
pub(super) struct Known<'p> {
    by_id: HashMap<PageId, &'p Page>,
    by_key: HashMap<&'p PageKey, &'p Page>,
    by_slug: HashMap<&'p str, Vec<&'p Page>>,
}

impl<'p> Known<'p> {
    pub(super) fn new(found: &'p [Page]) -> Known<'p> {
        let by_id: HashMap<PageId, &Page> = found.iter().map(|page| (page.id, page)).collect();
        let mut by_slug: HashMap<&str, Vec<&Page>> = HashMap::new();
        for page in by_id.values() {
            by_slug.entry(page.key.slug.as_str()).or_default().push(page);
        }
        let by_key = by_id.values().map(|page| (&page.key, *page)).collect();
        Known { by_id, by_key, by_slug }
    }

    fn with_slug(&self, slug: &str) -> &[&'p Page] {
        self.by_slug.get(slug).map_or(&[], Vec::as_slice)
    }

    /// `None`: the entry's identity is bad and was reported already.
    fn resolve(&self, entry: &Entry) -> Result<Option<Target>, FieldError> {
        let page = self.meant(entry)?;
        Ok(match (&entry.identity, page) {
            (Identity::Unusable { .. }, _) | (Identity::Id { .. }, None) => None,
            (Identity::Id { id, slug }, Some(page)) => {
                let key = PageKey {
                    content_type: entry.content_type.unwrap_or(page.key.content_type),
                    section: entry.section.clone().unwrap_or_else(|| page.key.section.clone()),
                    slug: slug.clone().unwrap_or_else(|| page.key.slug.clone()),
                };
                Some(Target::Update { id: *id, old_key: page.key.clone(), key })
            }
            (Identity::Slug(_) | Identity::Auto(_), Some(page)) => Some(stays(page)),
            (Identity::Slug(slug) | Identity::Auto(slug), None) => {
                Some(Target::Create { key: default_key(entry, slug.clone()) })
            }
        })
    }

    /// The page that an entry means; `None`: a new one, or its identity is bad.
    pub(super) fn meant(&self, entry: &Entry) -> Result<Option<&'p Page>, FieldError> {
        match &entry.identity {
            Identity::Unusable { .. } => Ok(None),
            Identity::Id { id, .. } => match self.by_id.get(id) {
                Some(page) => Ok(Some(page)),
                None => Err(("id", NOT_FOUND.to_owned())),
            },
            Identity::Slug(slug) => {
                self.meant_by_slug(entry, slug.as_str(), &default_key(entry, slug.clone()))
            }
            Identity::Auto(slug) => Ok(self.by_key.get(&default_key(entry, slug.clone())).copied()),
        }
    }

    /// The page with a slug and the entry's other fields; if there are several, the one with the default key.
    fn meant_by_slug(
        &self,
        entry: &Entry,
        slug: &str,
        key: &PageKey,
    ) -> Result<Option<&'p Page>, FieldError> {
        if entry.content_type.is_some() && entry.section.is_some() {
            return Ok(self.by_key.get(key).copied());
        }
        let mut candidates = self.with_slug(slug).iter().copied().filter(|page| {
            entry.content_type.is_none_or(|given| given == page.key.content_type)
                && entry.section.as_ref().is_none_or(|given| *given == page.key.section)
        });
        match (candidates.next(), candidates.next()) {
            (only, None) => Ok(only),
            (_, Some(_)) => {
                let default = self.by_key.get(key).copied();
                default.map(Some).ok_or(("slug", AMBIGUOUS.to_owned()))
            }
        }
    }

    /// The errors of an entry with this target.
    fn errors_of(
        &self,
        entry: &Entry,
        target: &Target,
        in_batch: &HashSet<PageId>,
        deleted: &HashSet<&PageKey>,
    ) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let titled = entry.title.as_ref().is_some_and(|title| !title.is_blank());
        match target {
            Target::Create { .. } if !titled => errors.push(("title", TITLE_REQUIRED.to_owned())),
            Target::Update { .. } if entry.title.is_some() && !titled => {
                errors.push(("title", "title must not be blank".to_owned()));
            }
            _ => {}
        }
        if let Some((field, message)) = target.key().reserved() {
            errors.push((field, message));
        }
        if let Some(holder) = self.by_key.get(target.key())
            && !in_batch.contains(&holder.id)
            && !deleted.contains(&holder.key)
        {
            errors.push(("slug", TAKEN.to_owned()));
        }
        errors
    }
}

fn stays(page: &Page) -> Target {
    Target::Update { id: page.id, old_key: page.key.clone(), key: page.key.clone() }
}

/// The entry's key, with defaults for omitted fields.
fn default_key(entry: &Entry, slug: Slug) -> PageKey {
    PageKey {
        content_type: entry.content_type.unwrap_or(ContentType::Blog),
        section: entry.section.clone().unwrap_or_else(Section::none),
        slug,
    }
}
