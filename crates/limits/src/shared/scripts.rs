//! The decisions, each one script: Redis runs a script as a whole, so that servers cannot race.

use std::sync::LazyLock;

use redis::Script;

macro_rules! scripts {
    ($($name:ident: $file:literal,)+) => {$(
        pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(include_str!("lua/common.lua"), include_str!(concat!("lua/", $file))))
        });
    )+};
}

scripts! {
    COUNT: "count.lua",
    UNDO: "undo.lua",
    ATTEMPT: "attempt.lua",
    TAKE: "take.lua",
    RENEW: "renew.lua",
    RELEASE: "release.lua",
}
