//! Several processes with a role each, on one PostgreSQL database, one object store and one Redis.

use std::net::Ipv4Addr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::Client;
use rustix::process::Signal;
use serde_json::Value;

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::Recto;
use crate::harness::server::{Answer, free_port};
use crate::media::forms::{CONTENT_TYPE, Form};

pub struct Fleet {
    /// Commands run on it, too.
    pub recto: Recto,
}

impl Fleet {
    /// `None`: an engine is missing, skip the test.
    pub fn new() -> Option<Fleet> {
        Some(Fleet { recto: settings(Recto::of_nodes()?) })
    }

    /// On a database that the test may stop.
    pub fn on(database: &testing::Cluster) -> Option<Fleet> {
        let recto = Recto::new().set("RECTO_STORE_URL", &database.url());
        Some(Fleet { recto: settings(recto.with_engines()?) })
    }

    pub fn set(self, variable: &str, value: &str) -> Fleet {
        Fleet { recto: self.recto.set(variable, value) }
    }

    /// Without rate limits.
    pub fn node(&self, role: &'static str) -> Node<'_> {
        self.node_with(role, &[])
    }

    /// With variables that the other nodes do not have.
    pub fn node_with(&self, role: &'static str, variables: &[(&'static str, &'static str)]) -> Node<'_> {
        self.start(role, variables, &["serve", "--dev"])
    }

    pub fn node_with_rate_limits(&self, role: &'static str) -> Node<'_> {
        self.start(role, &[], &["serve"])
    }

    fn start(
        &self,
        role: &'static str,
        variables: &[(&'static str, &'static str)],
        serve: &'static [&'static str],
    ) -> Node<'_> {
        let node = Node {
            recto: &self.recto,
            role,
            serve,
            variables: variables.to_vec(),
            directory: tempfile::tempdir().unwrap(),
            port: free_port(),
            admin: free_port(),
            process: Mutex::new(None),
            past_log: Mutex::default(),
            client: client(),
        };
        node.start();
        node.wait_until_ready();
        node
    }
}

/// Builds are not limited, and each node has few connections: there are many nodes.
fn settings(recto: Recto) -> Recto {
    let recto = recto.set("RECTO_BUILDS_COOLDOWN_SECONDS", "0").set("RECTO_STORE_CONNECTIONS", "6");
    recto.set("RECTO_PLANS_PRO_BUILDS_PER_MONTH", "1000000")
}

fn client() -> Client {
    let client = Client::builder().no_proxy().timeout(Duration::from_secs(30));
    client.redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

/// A process of a fleet, with a data directory and ports of its own. It can be killed and started again.
pub struct Node<'f> {
    recto: &'f Recto,
    pub role: &'static str,
    serve: &'static [&'static str],
    variables: Vec<(&'static str, &'static str)>,
    directory: tempfile::TempDir,
    port: u16,
    admin: u16,
    process: Mutex<Option<Process>>,
    /// Of the processes that were killed.
    past_log: Mutex<String>,
    client: Client,
}

impl Node<'_> {
    pub fn start(&self) {
        let arguments = [self.serve, &["--role", self.role]].concat();
        let mut command = self.recto.command_in(self.directory.path(), &arguments);
        let listen = if self.role == "sites" { "RECTO_SITES_LISTEN" } else { "RECTO_API_LISTEN" };
        command.env(listen, format!("127.0.0.1:{}", self.port));
        command.env("RECTO_ADMIN_LISTEN", format!("127.0.0.1:{}", self.admin));
        command.envs(self.variables.iter().copied());
        *self.process() = Some(Process::start(command));
    }

    pub fn wait_until_ready(&self) {
        wait_until(&format!("a node with the role {} is ready", self.role), || {
            let mut process = self.process();
            let process = process.as_mut().unwrap();
            assert!(process.is_running(), "{} ended: {}", self.role, process.stderr());
            self.ready().is_some_and(|answer| answer.status == 200)
        });
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap()
    }

    /// Its own word on whether it can serve; `None`: it does not answer.
    pub fn ready(&self) -> Option<Answer> {
        let url = format!("http://127.0.0.1:{}/readyz", self.admin);
        self.client.get(url).send().ok().map(Answer::read)
    }

    pub fn signal(&self, signal: Signal) {
        if let Some(process) = self.process().as_ref() {
            process.signal(signal);
        }
    }

    /// Ends it without a warning, and waits until it is gone.
    pub fn kill(&self) {
        if let Some(process) = self.process().take() {
            process.signal(Signal::KILL);
            self.past_log.lock().unwrap().push_str(&process.wait().stderr);
        }
    }

    /// Of all its processes.
    pub fn log(&self) -> String {
        let past = self.past_log.lock().unwrap();
        past.clone() + &self.process().as_ref().map(Process::stderr).unwrap_or_default()
    }

    /// A call of the API; an error is one of the connection.
    pub fn call(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> reqwest::Result<Answer> {
        let url = format!("http://127.0.0.1:{}/api/v1/public{path}", self.port);
        let mut request = self.client.request(method, url).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().map(Answer::read)
    }

    /// A call without a body through a proxy, for a client with this address.
    pub fn call_from(
        &self,
        client: Ipv4Addr,
        method: Method,
        path: &str,
        token: &str,
    ) -> reqwest::Result<Answer> {
        let url = format!("http://127.0.0.1:{}/api/v1/public{path}", self.port);
        let request = self.client.request(method, url).bearer_auth(token);
        request.header("x-forwarded-for", client.to_string()).send().map(Answer::read)
    }

    pub fn upload(&self, token: &str, name: &str, bytes: &[u8]) -> reqwest::Result<Answer> {
        let form = Form::default().file(name, bytes);
        let url = format!("http://127.0.0.1:{}/api/v1/public/media", self.port);
        let request = self.client.post(url).bearer_auth(token);
        request.header("content-type", CONTENT_TYPE).body(form.end()).send().map(Answer::read)
    }

    /// A visitor's request; an error is one of the connection.
    pub fn visit(&self, host: &str, path: &str) -> reqwest::Result<Answer> {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        self.client.get(url).header("host", host).send().map(Answer::read)
    }
}
