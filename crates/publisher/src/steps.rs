//! Work that may touch more rows than one request contains is done in steps: short transactions, one after the other,
//! so that other writes run in between, and the work can be resumed after a crash.

use std::sync::Arc;

use store::{Error as StoreError, Store, Tx};

/// Runs `step` from `start` on until it returns `None`; otherwise it returns where the next step continues.
pub(crate) async fn in_steps<C, E>(
    store: &Store,
    start: C,
    step: impl Fn(&mut Tx, &C) -> Result<Option<C>, E> + Send + Sync + 'static,
) -> Result<(), E>
where
    C: Send + Sync + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (step, mut next) = (Arc::new(step), Some(start));
    while let Some(from) = next {
        let step = step.clone();
        next = store.write(move |tx| step(tx, &from)).await?;
    }
    Ok(())
}

/// The result of a step that only reports whether something is left.
pub(crate) fn left(some: bool) -> Option<()> {
    some.then_some(())
}
