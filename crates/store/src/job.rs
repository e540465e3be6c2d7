//! A closure on its way to a thread that owns a connection, and its answer on the way back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use crate::error::{Error, Result, Retry};
use crate::tx::{Engine, Tx};

/// Work for a connection: run, perhaps more than once, then finished with what became of the transaction.
pub(crate) trait Job: Send {
    /// Runs the closure. `Ok` means: commit it. Whatever the closure itself answered is kept for `finish`.
    fn run(&mut self, engine: Engine) -> Result<(), Undo>;
    /// Sends the closure's answer, or the reason why the transaction around it is not there.
    fn finish(self: Box<Self>, outcome: Result<()>);
}

/// Why a closure's changes must not stay.
pub(crate) enum Undo {
    /// The closure refused, or its error cannot be mended: its own answer is the answer.
    Refused,
    /// The engine failed in a way that another try may mend.
    Failed(Error, Retry),
}

pub(crate) struct Closure<F, T, E> {
    work: F,
    answer: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Closure<F, T, E> {
    pub(crate) fn new(work: F) -> (Closure<F, T, E>, oneshot::Receiver<Result<T, E>>) {
        let (reply, receiver) = oneshot::channel();
        (Closure { work, answer: None, reply }, receiver)
    }
}

impl<F, T, E> Job for Closure<F, T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, engine: Engine) -> Result<(), Undo> {
        let mut tx = Tx::new(engine);
        // A panic in one closure must not take the thread, and with it every other write, along.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.work)(&mut tx)));
        if let Some((error, retry)) = tx.failure {
            self.answer = Some(Err(E::from(error.clone())));
            return Err(Undo::Failed(error, retry));
        }
        let answer = answer.unwrap_or_else(|panic| Err(E::from(Error::Internal(panic_text(panic.as_ref())))));
        let verdict = if answer.is_ok() { Ok(()) } else { Err(Undo::Refused) };
        self.answer = Some(answer);
        verdict
    }

    fn finish(self: Box<Self>, outcome: Result<()>) {
        let answer = match outcome {
            Ok(()) => {
                self.answer.unwrap_or_else(|| Err(E::from(Error::Internal("the write never ran".into()))))
            }
            Err(error) => Err(E::from(error)),
        };
        // The caller may have gone away; its change is there all the same.
        let _ = self.reply.send(answer);
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    format!("a transaction panicked: {}", text.unwrap_or("no message"))
}
