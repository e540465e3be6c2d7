//! Converts TeX formulas to MathML, which browsers show without a script.

use std::sync::LazyLock;
use std::thread;

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

use crate::limits::{Budget, thread_time};

/// A longer formula is shown as its source.
const MAX_FORMULA_BYTES: usize = 8 * 1024;

/// The converter recurses for each level of nesting and takes up to 1.7 kB of stack per byte of source. A formula
/// shorter than this cannot overflow the stack of a worker thread, which is 2 MB.
const SHALLOW_BYTES: usize = 200;

/// Four times as much as the deepest formula of `MAX_FORMULA_BYTES` takes; unused stack takes no memory.
const DEEP_STACK_BYTES: usize = 64 * 1024 * 1024;

static CONVERTER: LazyLock<Option<LatexToMathML>> =
    LazyLock::new(|| LatexToMathML::new(MathCoreConfig::default()).ok());

#[derive(Clone, Copy)]
pub(crate) enum Display {
    Inline,
    Block,
}

/// `None` for a formula that cannot be parsed.
pub(crate) fn mathml(source: &str, display: Display, budget: &mut Budget) -> Option<String> {
    match source.len() {
        0..SHALLOW_BYTES => convert(source, display),
        SHALLOW_BYTES..=MAX_FORMULA_BYTES => {
            let (mathml, time) = thread::scope(|scope| {
                let deep = thread::Builder::new().stack_size(DEEP_STACK_BYTES);
                let convert = || (convert(source, display), thread_time());
                deep.spawn_scoped(scope, convert).ok()?.join().ok()
            })?;
            budget.charge(time);
            mathml
        }
        _ => None,
    }
}

fn convert(source: &str, display: Display) -> Option<String> {
    let display = match display {
        Display::Inline => MathDisplay::Inline,
        Display::Block => MathDisplay::Block,
    };
    let mathml = CONVERTER.as_ref()?.convert_with_local_state(source, display).ok()?.mathml;
    Some(if mathml.contains("<mtable") { valid_tables(&mathml) } else { mathml })
}

/// The W3C's validator rejects `scriptlevel` on a table. Without it, a matrix in an exponent is as small as the
/// exponent.
fn valid_tables(mathml: &str) -> String {
    mathml
        .replace("<mtable displaystyle=\"true\" scriptlevel=\"0\"", "<mtable displaystyle=\"true\"")
        .replace("<mtable displaystyle=\"false\" scriptlevel=\"0\"", "<mtable displaystyle=\"false\"")
}
