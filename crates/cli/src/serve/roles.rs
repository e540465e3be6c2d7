//! What a process does. Any number of processes may share a database, an object store and a Redis, each with all roles
//! or with some.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Answers the API and processes uploads
    Api,
    /// Serves the sites
    Sites,
    /// Runs builds, transcodes videos, cleans up
    Worker,
}

#[derive(Debug, Clone, Args)]
pub struct Roles {
    /// What this process does; several processes with different roles may share a PostgreSQL database
    #[arg(
        long = "role",
        env = "RECTO_ROLES",
        value_enum,
        value_delimiter = ',',
        value_name = "ROLE",
        default_value = "api,sites,worker"
    )]
    roles: Vec<Role>,
}

impl Roles {
    pub fn all() -> Roles {
        Roles { roles: vec![Role::Api, Role::Sites, Role::Worker] }
    }

    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Known sites can be served without the database; everything else needs it.
    pub fn need_database(&self) -> bool {
        self.has(Role::Api) || self.has(Role::Worker)
    }

    /// For people: `api, worker`.
    pub fn names(&self) -> String {
        let named = [(Role::Api, "api"), (Role::Sites, "sites"), (Role::Worker, "worker")];
        let own: Vec<&str> =
            named.into_iter().filter(|(role, _)| self.has(*role)).map(|(_, name)| name).collect();
        own.join(", ")
    }
}
