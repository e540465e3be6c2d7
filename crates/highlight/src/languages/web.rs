//! Browser languages.

use crate::grammar::{BACKTICK, BRACES, DOUBLE, Extra, Grammar, SINGLE};

pub(super) const JAVASCRIPT: Grammar = Grammar {
    keywords: "as async await break case catch class const continue debugger default delete do else export extends \
        finally for from function if import in instanceof let new of return static super switch this throw try typeof \
        using var void while with yield",
    constants: "true false null undefined NaN Infinity",
    in_words: "$",
    strings: &[DOUBLE, SINGLE, BACKTICK],
    extras: &[Extra::Decorators, Extra::Regexes],
    ..BRACES
};

pub(super) const TYPESCRIPT: Grammar = Grammar {
    keywords: "abstract as asserts async await break case catch class const continue debugger declare default delete do \
        else enum export extends finally for from function if implements import in infer instanceof interface is \
        keyof let namespace new of override private protected public readonly return satisfies static super switch \
        this throw try type typeof unique using var void while with yield",
    types: "any bigint boolean never number object string symbol unknown",
    ..JAVASCRIPT
};
