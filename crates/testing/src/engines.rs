//! What several nodes share besides PostgreSQL: an S3 server that checks signatures, and Redis.

use uuid::Uuid;

/// Of one test: an unused prefix on the servers that `./test` starts.
pub struct Engines {
    /// `s3://recto/…`
    pub objects: String,
    s3: String,
    pub redis: String,
}

impl Engines {
    /// `None`: a server is missing, skip the test.
    pub fn new() -> Option<Engines> {
        let (s3, redis) = (crate::server(crate::SEAWEED)?, crate::server(crate::REDIS)?);
        Some(Engines { objects: format!("s3://recto/{}", Uuid::now_v7().simple()), s3, redis })
    }

    /// The environment variables that `objects` needs.
    pub fn variables(&self) -> [(&'static str, &str); 5] {
        [
            ("AWS_ENDPOINT_URL", &self.s3),
            ("AWS_ACCESS_KEY_ID", "recto-test"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_ALLOW_HTTP", "true"),
            ("NO_PROXY", "127.0.0.1"),
        ]
    }
}
