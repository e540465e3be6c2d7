//! Functional languages.

use crate::grammar::{
    CHARACTER, Capitals, DOUBLE, DOUBLE_LINES, Extra, Grammar, PLAIN, SINGLE, TRIPLE, TWO_SINGLE,
};

const FUNCTIONAL: Grammar =
    Grammar { capitals: Capitals::Type, in_words: "'", strings: &[DOUBLE, CHARACTER], ..PLAIN };

pub(super) const HASKELL: Grammar = Grammar {
    keywords: "as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr \
        instance let mdo module newtype of proc qualified rec then type where",
    constants: "True False otherwise",
    line_comments: &["--"],
    block_comments: &[("{-", "-}")],
    ..FUNCTIONAL
};

pub(super) const ELM: Grammar = Grammar {
    keywords: "alias as case else exposing if import in let module of port then type where",
    strings: &[TRIPLE, DOUBLE, CHARACTER],
    ..HASKELL
};

pub(super) const OCAML: Grammar = Grammar {
    keywords: "and as assert begin class constraint do done downto else end exception external for fun function functor \
        if in include inherit initializer lazy let match method module mutable new nonrec object of open private rec \
        sig struct then to try type val virtual when while with",
    types: "bool bytes char float int list option ref string unit",
    constants: "true false",
    block_comments: &[("(*", "*)")],
    ..FUNCTIONAL
};

pub(super) const FSHARP: Grammar = Grammar {
    keywords: "abstract and as assert async base begin class default delegate do done downcast downto elif else end \
        exception extern finally fixed for fun function global if in inherit inline interface internal lazy let match \
        member module mutable namespace new not null of open or override private public rec return sig static struct \
        task then to try type upcast use val void when while with yield",
    types: "bool byte char decimal float int int64 list option seq string unit",
    line_comments: &["//"],
    block_comments: &[("(*", "*)")],
    strings: &[TRIPLE, DOUBLE, CHARACTER],
    ..FUNCTIONAL
};

pub(super) const GLEAM: Grammar = Grammar {
    keywords: "as assert auto case const delegate derive echo else fn if implement import let macro opaque panic pub test \
        todo type use",
    constants: "True False Nil",
    in_words: "",
    line_comments: &["//"],
    strings: &[DOUBLE_LINES],
    extras: &[Extra::Decorators],
    ..FUNCTIONAL
};

pub(super) const ELIXIR: Grammar = Grammar {
    keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule defp \
        defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue super throw try \
        unless unquote use when with",
    constants: "true false nil",
    in_words: "?!",
    line_comments: &["#"],
    strings: &[TRIPLE, DOUBLE_LINES, SINGLE],
    extras: &[Extra::Decorators, Extra::Symbols],
    ..FUNCTIONAL
};

pub(super) const ERLANG: Grammar = Grammar {
    keywords: "after and andalso begin case catch div else end fun if let maybe not of or orelse receive rem try when xor",
    constants: "true false undefined ok error",
    in_words: "@",
    capitals: Capitals::Nothing,
    line_comments: &["%"],
    strings: &[DOUBLE, SINGLE],
    ..FUNCTIONAL
};

pub(super) const PROLOG: Grammar = Grammar {
    keywords: "is mod rem not dynamic discontiguous use_module module",
    block_comments: &[("/*", "*/")],
    constants: "true false fail",
    ..ERLANG
};

pub(super) const LISP: Grammar = Grammar {
    keywords: "and begin case cond define define-record-type define-syntax defclass defconstant defgeneric defmacro \
        defmethod defparameter defstruct defun defvar do dolist dotimes else flet for if lambda let let* letrec loop \
        match module or progn provide quasiquote quote require return setf setq set! unless unquote when while",
    constants: "t nil #t #f",
    in_words: "-?!*+<>=.",
    capitals: Capitals::Nothing,
    line_comments: &[";"],
    block_comments: &[("#|", "|#")],
    strings: &[DOUBLE_LINES],
    extras: &[Extra::Lists, Extra::Symbols],
    ..FUNCTIONAL
};

pub(super) const CLOJURE: Grammar = Grammar {
    keywords: "and case catch comment cond cond-> cond->> condp def declare defmacro defmethod defmulti defn defn- \
        defonce defprotocol defrecord deftype do doseq dotimes doto fn finally for if if-let if-not let letfn loop ns \
        or quote recur reify require throw try var when when-let when-not while -> ->>",
    constants: "true false nil",
    ..LISP
};

pub(super) const NIX: Grammar = Grammar {
    keywords: "assert else if in inherit let or rec then with import",
    constants: "true false null",
    in_words: "-'",
    capitals: Capitals::Nothing,
    line_comments: &["#"],
    block_comments: &[("/*", "*/")],
    strings: &[TWO_SINGLE, DOUBLE_LINES],
    ..FUNCTIONAL
};
