//! The status of a build, and what triggered it.

/// `queued → running → success | failed`; the last two are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuildStatus {
    Queued,
    Running,
    Success,
    Failed,
}

impl BuildStatus {
    pub const ALL: [BuildStatus; 4] =
        [BuildStatus::Queued, BuildStatus::Running, BuildStatus::Success, BuildStatus::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            BuildStatus::Queued => "queued",
            BuildStatus::Running => "running",
            BuildStatus::Success => "success",
            BuildStatus::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<BuildStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trigger {
    /// `POST /builds`
    Api,
    /// `POST /pages` with `build`
    Publish,
    Dashboard,
    Cli,
    /// The server itself, when a page dated in the future is due.
    Schedule,
}

impl Trigger {
    pub const ALL: [Trigger; 5] =
        [Trigger::Api, Trigger::Publish, Trigger::Dashboard, Trigger::Cli, Trigger::Schedule];

    pub fn as_str(self) -> &'static str {
        match self {
            Trigger::Api => "api",
            Trigger::Publish => "publish",
            Trigger::Dashboard => "dashboard",
            Trigger::Cli => "cli",
            Trigger::Schedule => "schedule",
        }
    }

    pub fn parse(text: &str) -> Option<Trigger> {
        Self::ALL.into_iter().find(|trigger| trigger.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_parses_back() {
        for status in BuildStatus::ALL {
            assert_eq!(BuildStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(BuildStatus::parse("Queued"), None);
    }

    #[test]
    fn every_trigger_parses_back() {
        for trigger in Trigger::ALL {
            assert_eq!(Trigger::parse(trigger.as_str()), Some(trigger));
        }
        assert_eq!(Trigger::parse("webhook"), None);
    }
}
