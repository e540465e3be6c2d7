//! Files that an export refers to but does not contain: they are taken from a folder beside the export, if it is there.

use std::path::Path;

use crate::links;
use crate::paths::{decoded, normal, relative};
use crate::site::{Note, Site};

/// `path_of` gives the path of a file, such as `content/images/a.png`, for a link that may lead to one. Only files below
/// `folder`, which stands beside the export, are copied; links to others stay.
pub(crate) fn relink(
    site: &mut Site,
    export: &Path,
    folder: &str,
    path_of: impl for<'l> Fn(&'l str) -> Option<&'l str>,
) {
    let beside =
        export.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let mut files = vec![];
    for page in &mut site.pages {
        let (origin, path) = (page.origin.clone(), page.path.clone());
        let mut missing = vec![];
        let mut find = |link: &str| {
            let plain = link.split(['?', '#']).next().unwrap_or_default();
            let file = normal(&decoded(path_of(plain)?)).filter(|file| file.starts_with(folder))?;
            let real = beside.join(&file).canonicalize().ok();
            match real.filter(|real| real.starts_with(beside.join(folder)) && real.is_file()) {
                Some(real) => {
                    files.push((file.clone(), real));
                    Some(relative(&path, &file))
                }
                None => {
                    missing.push(file);
                    None
                }
            }
        };
        page.body = links::rewrite(&page.body, |_, link| find(link));
        cover(page, &mut find);
        missing.sort();
        missing.dedup();
        for file in missing {
            let message = format!(
                "the link to {file} stays; to import the file, put the folder {folder} beside the export"
            );
            site.notes.push(Note { file: origin.clone(), line: 0, message });
        }
    }
    site.files.extend(files);
}

/// A cover that is a file goes to the top of the text: params cannot refer to files.
fn cover(page: &mut crate::site::Page, find: &mut dyn FnMut(&str) -> Option<String>) {
    let Some(cover) = page.params.get("cover").and_then(|cover| cover.as_str()).map(str::to_owned) else {
        return;
    };
    let Some(link) = find(&cover) else { return };
    page.params.remove("cover");
    let alt =
        page.params.remove("coverAlt").and_then(|alt| alt.as_str().map(str::to_owned)).unwrap_or_default();
    page.body = format!("![{alt}]({link})\n\n{}", page.body);
}
