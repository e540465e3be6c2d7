//! All limits. Characters are Unicode scalar values.

// The specification, "Request and field limits".
pub const PAGES_PER_REQUEST: usize = 5000;
pub const DELETES_PER_REQUEST: usize = 5000;
pub const FILES_PER_REQUEST: usize = 500;
pub const SLUG_CHARS: usize = 100;
pub const SECTION_CHARS: usize = 100;
pub const TITLE_CHARS: usize = 200;
pub const DESCRIPTION_CHARS: usize = 500;
pub const CONTENT_CHARS: usize = 100_000;
pub const TAGS_PER_PAGE: usize = 20;
pub const TAG_CHARS: usize = 30;

// The specification, "Page", names these fields without a limit. Params may be as long as content; 64 levels are far
// more than people write and far less than would overflow a stack; 200 characters fit a badge and a path.
pub const PARAMS_CHARS: usize = 100_000;
pub const PARAMS_DEPTH: usize = 64;
pub const API_ENDPOINT_CHARS: usize = 200;

// Not in the specification.
/// `params.aliases`: as many as a page may have left URLs, and longer than paths are.
pub const ALIASES_PER_PAGE: usize = 100;
pub const ALIAS_CHARS: usize = 500;
/// A site's name is a host label: RFC 1035, 2.3.4 "Size limits".
pub const SITE_NAME_CHARS: usize = 63;
pub const ACCOUNT_NAME_CHARS: usize = 200;
pub const TOKEN_NAME_CHARS: usize = 100;
pub const PASSKEY_NAME_CHARS: usize = 100;
/// The longest address that mail servers accept: RFC 5321, 4.5.3.1.3.
pub const EMAIL_CHARS: usize = 254;
pub const PASSWORD_MIN_CHARS: usize = 10;
/// Hashing a longer one would only cost time.
pub const PASSWORD_BYTES: usize = 1000;
