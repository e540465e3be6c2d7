//! How rows of people are found.

use model::{TokenHash, UserId};
use uuid::Uuid;

use super::{ACCOUNT, NOW, Plans, SITE};
use crate::{autosaves, links, members, sessions, sites};

pub fn who_asks_is_found_by_a_secret_and_an_account(on: &mut Plans) {
    let (secret, user) = (TokenHash([0; 32]), UserId(Uuid::nil()));
    const USER: &str = "SEARCH users USING PRIMARY KEY (id=?)";
    on.check(
        |tx| sessions::find(tx, &secret, NOW),
        &["SEARCH sessions USING INDEX sqlite_autoindex_sessions_2 (hash=?)", USER],
    );
    on.check(
        |tx| sessions::list(tx, user, NOW),
        &[
            "SEARCH users USING PRIMARY KEY (id=?)",
            "SEARCH sessions USING INDEX sessions_by_user (user_id=? AND seen_at>?)",
        ],
    );
    on.check(
        |tx| members::role(tx, ACCOUNT, user),
        &["SEARCH members USING PRIMARY KEY (account_id=? AND user_id=?)"],
    );
    on.check(
        |tx| sites::of_user(tx, user),
        &[
            "SEARCH sites USING INDEX sites_by_account (account_id=?)",
            "SEARCH members USING COVERING INDEX members_by_user (user_id=?)",
        ],
    );
    on.check(|tx| links::find(tx, &secret, NOW), &["SEARCH links USING PRIMARY KEY (hash=?)", USER]);
}

pub fn what_a_person_typed_is_found_by_its_form_and_its_time(on: &mut Plans) {
    let user = UserId(Uuid::nil());
    let of_form = "SEARCH autosaves USING PRIMARY KEY (site_id=? AND user_id=? AND form_id=?)";
    on.check(|tx| autosaves::get(tx, SITE, user, Uuid::nil()), &[of_form]);
    on.check(|tx| autosaves::remove(tx, SITE, user, Uuid::nil()), &[of_form]);
    let preview = TokenHash([0; 32]);
    on.check(|tx| autosaves::remove_seen(tx, SITE, user, Uuid::nil(), &preview, 0), &[of_form]);
    on.check(
        |tx| autosaves::newest_of_new(tx, SITE, user),
        &["SEARCH autosaves USING INDEX autosaves_by_user (user_id=?)"],
    );
    on.check(
        |tx| autosaves::by_preview(tx, SITE, &TokenHash([0; 32]), NOW),
        &["SEARCH autosaves USING INDEX autosaves_by_preview (preview=? AND site_id=?)"],
    );
    on.check(
        |tx| autosaves::sweep(tx, NOW, 10),
        &[of_form, "SEARCH autosaves USING COVERING INDEX autosaves_by_time (saved_at<?)"],
    );
}
