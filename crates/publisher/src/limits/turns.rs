//! A limited number of places for longer work. Accounts take turns: a free place goes to the account that was served
//! longest ago, so that no account waits for another one's queue. One account never has all of several places.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::AccountId;
use tokio::sync::oneshot;

pub struct Turns {
    /// The most places that one account has at a time.
    most: usize,
    state: Mutex<State>,
}

struct State {
    free: usize,
    accounts: HashMap<AccountId, Account>,
    /// Grows with every turn.
    turn: u64,
}

#[derive(Default)]
struct Account {
    held: usize,
    /// The turn in which it was last served; zero: never, or no longer known.
    served: u64,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// Accounts that are remembered although they neither work nor wait.
const REMEMBERED: usize = 1024;

/// A place, released when dropped.
pub struct Turn {
    turns: Arc<Turns>,
    account: AccountId,
}

impl Turns {
    pub fn new(places: usize) -> Arc<Turns> {
        let state = State { free: places.max(1), accounts: HashMap::new(), turn: 0 };
        Arc::new(Turns { most: places.saturating_sub(1).max(1), state: Mutex::new(state) })
    }

    /// Waits for a place.
    pub async fn take(self: &Arc<Self>, account: AccountId) -> Turn {
        let (sender, place) = oneshot::channel();
        self.lock().accounts.entry(account).or_default().waiting.push_back(sender);
        self.give_out();
        place.await.expect("a waiting sender is used, or was never queued")
    }

    /// Gives free places to waiting callers. A place that is sent to a caller that has left is dropped, and goes to the
    /// next one; the drop takes the lock, so it must not be held here.
    fn give_out(self: &Arc<Self>) {
        loop {
            let Some((account, waiting)) = self.lock().next(self.most) else { return };
            let _ = waiting.send(Turn { turns: self.clone(), account });
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a place for the next account.
    fn next(&mut self, most: usize) -> Option<(AccountId, oneshot::Sender<Turn>)> {
        if self.free == 0 {
            return None;
        }
        let may_go = self.accounts.iter_mut().filter(|(_, own)| !own.waiting.is_empty() && own.held < most);
        let (id, own) = may_go.min_by_key(|(_, own)| own.served)?;
        let (id, waiting) = (*id, own.waiting.pop_front()?);
        self.turn += 1;
        (own.served, own.held) = (self.turn, own.held + 1);
        self.free -= 1;
        Some((id, waiting))
    }

    fn give_back(&mut self, account: AccountId) {
        self.free += 1;
        if let Some(own) = self.accounts.get_mut(&account) {
            own.held -= 1;
        }
        if self.accounts.len() > REMEMBERED {
            self.accounts.retain(|_, own| own.held > 0 || !own.waiting.is_empty());
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.lock().give_back(self.account);
        self.turns.give_out();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::Timestamp;
    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    use super::*;

    fn account() -> AccountId {
        AccountId::new(Timestamp::from_micros(0))
    }

    /// Queues one after the other, so that their order is known.
    async fn queue(turns: &Arc<Turns>, account: AccountId) -> JoinHandle<Turn> {
        let turns = turns.clone();
        let task = tokio::spawn(async move { turns.take(account).await });
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        task
    }

    async fn has_place(task: &mut JoinHandle<Turn>) -> Option<Turn> {
        timeout(Duration::from_millis(20), task).await.ok().map(Result::unwrap)
    }

    #[tokio::test]
    async fn one_account_leaves_a_place_for_others() {
        let (turns, noisy, other) = (Turns::new(2), account(), account());
        let _first = turns.take(noisy).await;
        let mut second = queue(&turns, noisy).await;
        assert!(has_place(&mut second).await.is_none(), "one of two places is for others");
        assert!(has_place(&mut queue(&turns, other).await).await.is_some());
    }

    #[tokio::test]
    async fn a_newcomer_does_not_wait_for_another_accounts_queue() {
        let (turns, noisy, other) = (Turns::new(1), account(), account());
        let working = turns.take(noisy).await;
        let mut queued = Vec::new();
        for _ in 0..5 {
            queued.push(queue(&turns, noisy).await);
        }
        let mut newcomer = queue(&turns, other).await;
        drop(working);
        let turn = has_place(&mut newcomer).await.expect("the newcomer is next");
        assert!(has_place(&mut queued[0]).await.is_none());
        drop(turn);
        assert!(has_place(&mut queued[0]).await.is_some());
    }

    #[tokio::test]
    async fn accounts_take_turns() {
        let (turns, first, second) = (Turns::new(1), account(), account());
        let mut place = Some(turns.take(first).await);
        let mut tasks = Vec::new();
        for account in [first, first, second, second] {
            tasks.push((account, queue(&turns, account).await));
        }
        let mut order = Vec::new();
        while !tasks.is_empty() {
            drop(place.take());
            for index in 0..tasks.len() {
                if let Some(turn) = has_place(&mut tasks[index].1).await {
                    order.push(tasks.remove(index).0);
                    place = Some(turn);
                    break;
                }
            }
        }
        assert_eq!(order, [second, first, second, first]);
    }

    #[tokio::test]
    async fn a_caller_that_leaves_costs_no_place() {
        let (turns, one) = (Turns::new(1), account());
        let working = turns.take(one).await;
        queue(&turns, one).await.abort();
        let mut last = queue(&turns, one).await;
        drop(working);
        drop(has_place(&mut last).await.expect("the place is free"));
        assert_eq!(turns.lock().free, 1);
    }

    #[tokio::test]
    async fn accounts_that_are_not_served_any_more_are_forgotten() {
        let turns = Turns::new(1);
        for _ in 0..3 * REMEMBERED {
            drop(turns.take(account()).await);
        }
        assert!(turns.lock().accounts.len() <= REMEMBERED + 1);
    }
}
