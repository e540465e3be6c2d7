//! A site's own domains, in addition to its address on this server.

use store::hosts;
use store::sites::Site;

use crate::{Action, Error, Publisher};

impl Publisher {
    pub async fn domain_add(&self, site: &Site, host: &str) -> Result<String, Error> {
        let host = checked(host)?;
        if self.settings.site_of_host(&host).is_some() {
            return Err(Error::refused(format!("{host} is an address of this server already")));
        }
        let (id, new, log) = (site.id, host.clone(), self.log(site.account, Some(site.id)));
        let added = self.write(move |tx, now| {
            let added = hosts::add(tx, &new, id, now)?;
            if added {
                log.note(tx, now, Action::DomainAdded, new.as_str())?;
            }
            Ok(added)
        });
        let added = added.await?;
        match added {
            true => Ok(host),
            false => Err(Error::refused(format!("{host} belongs to a site already; remove it there first"))),
        }
    }

    pub async fn domain_remove(&self, site: &Site, host: &str) -> Result<String, Error> {
        let (id, host) = (site.id, normalized(host));
        let (gone, log) = (host.clone(), self.log(site.account, Some(id)));
        let removed = self.write(move |tx, now| {
            let removed = hosts::remove(tx, &gone, id)?;
            if removed {
                log.note(tx, now, Action::DomainRemoved, gone.as_str())?;
            }
            Ok(removed)
        });
        let removed = removed.await?;
        match removed {
            true => Ok(host),
            false => Err(Error::refused(format!("the site has no domain {host}"))),
        }
    }

    pub async fn domain_list(&self, site: &Site) -> Result<Vec<String>, Error> {
        let id = site.id;
        self.read(move |tx| Ok(hosts::list(tx, id)?)).await
    }

    /// Whether a site has this host, so that a certificate may be requested for it.
    pub async fn answers_to(&self, host: &str) -> Result<bool, Error> {
        Ok(self.hosted_site(&host.to_lowercase()).await?.is_some())
    }
}

/// As in the database.
fn normalized(host: &str) -> String {
    host.trim_end_matches('.').to_lowercase()
}

/// Lower case letters, digits, hyphens and dots, as in a `Host` header. An address belongs to the server, not to a site.
fn checked(host: &str) -> Result<String, Error> {
    let host = normalized(host);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_address =
        host.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    let fine = host.len() <= 253 && host.contains('.') && host.split('.').all(label) && !is_address;
    match fine {
        true => Ok(host),
        false => Err(Error::refused(format!(
            "{host:?} is no domain; it looks like docs.example.com (in ASCII: xn--… for other letters)"
        ))),
    }
}
