//! What PostgreSQL reports about the plans of what it ran, in a database with many rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use postgres::NoTls;

use crate::Result;
use crate::engine::Schema;
use crate::engine::migrate;
use crate::engine::tx::{Engine, LeaseClock, PgConnection, Tx};

/// A connection to a database with many rows, which reports the plan of each statement that it has run.
pub struct Postgres {
    connection: PgConnection,
    reported: Arc<Mutex<Vec<String>>>,
}

/// The server itself explains what it ran, also by foreign keys.
const EXPLAIN: &str = "
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_analyze = on;
SET auto_explain.log_nested_statements = on;
SET client_min_messages = log";
/// The server chooses a plan for all parameters after five executions, if that is not much worse.
const EXECUTIONS: usize = 7;
/// The most rows that a part of a plan may read and not use: as many as one site has of a kind, see many_rows.sql.
const READ_IN_VAIN: u64 = 400;
/// As few rows as workers, or one.
const SMALL: [&str; 2] = ["building", "server"];

impl Postgres {
    pub fn with_many_rows(database: &testing::Database) -> Postgres {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let mut config: postgres::Config = database.url().parse().expect("it is a URL");
        let sink = reported.clone();
        config
            .notice_callback(move |notice| sink.lock().expect("no panic").push(notice.message().to_owned()));
        let client = config.connect(NoTls).expect("the server runs");
        let mut connection = PgConnection { client, statements: HashMap::new(), leases: LeaseClock::Caller };
        migrate::postgres(&mut connection, Schema::Create).expect("the schema is right");
        connection.client.batch_execute(include_str!("many_rows.sql")).expect("the rows are right");
        connection.client.batch_execute(EXPLAIN).expect("the server has auto_explain");
        Postgres { connection, reported }
    }

    #[track_caller]
    pub fn check<T>(&mut self, run: impl Fn(&mut Tx) -> Result<T>) {
        for execution in 1..=EXECUTIONS {
            self.reported.lock().expect("no panic").clear();
            self.connection.client.batch_execute("BEGIN").expect("the connection is there");
            let ran = run(&mut Tx::new(Engine::Postgres(&mut self.connection)));
            assert!(ran.is_ok(), "{:?}", ran.err());
            self.connection.client.batch_execute("ROLLBACK").expect("the connection is there");
            let plans = self.reported.lock().expect("no panic");
            assert!(plans.iter().any(|plan| plan.contains("plan:")), "{plans:?}");
            for plan in plans.iter() {
                let scanned = plan.split("Seq Scan on ").skip(1);
                let mut tables = scanned.map(|rest| rest.split([' ', '\n']).next().unwrap_or_default());
                assert!(tables.all(|table| SMALL.contains(&table)), "execution {execution}: {plan}");
                let removed = plan.lines().filter(|line| line.contains("Rows Removed by Filter: "));
                let removed = removed.filter_map(|line| line.rsplit_once(": ")).map(|(_, rows)| rows);
                let mut removed = removed.map(|rows| rows.parse::<u64>().expect("a number of rows"));
                assert!(removed.all(|rows| rows <= READ_IN_VAIN), "execution {execution}: {plan}");
            }
        }
    }
}
