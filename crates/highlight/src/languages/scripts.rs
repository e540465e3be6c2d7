//! Scripting and notebook languages.

use crate::grammar::{
    BRACKETS, Capitals, DOUBLE, DOUBLE_LINES, Extra, Grammar, PLAIN, SINGLE, SINGLE_RAW, TRIPLE,
    TRIPLE_SINGLE,
};

/// What most of them have in common.
const SCRIPT: Grammar = Grammar { capitals: Capitals::Type, line_comments: &["#"], ..PLAIN };

pub(super) const PYTHON: Grammar = Grammar {
    keywords: "and as assert async await break case class continue def del elif else except finally for from global if \
        import in is lambda match nonlocal not or pass raise return try while with yield",
    types: "bool bytearray bytes complex dict float frozenset int list memoryview object set str tuple",
    constants: "True False None NotImplemented Ellipsis",
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    prefixes: "r b f u t rb br rf fr R B F U",
    extras: &[Extra::Decorators],
    ..SCRIPT
};

pub(super) const RUBY: Grammar = Grammar {
    keywords: "alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo \
        rescue retry return then undef unless until when while yield require require_relative include extend \
        attr_reader attr_writer attr_accessor private protected public raise self super",
    constants: "true false nil __FILE__ __LINE__",
    in_words: "?!",
    block_comments: &[("=begin\n", "\n=end")],
    strings: &[DOUBLE_LINES, SINGLE],
    sigils: "@$",
    extras: &[Extra::Symbols, Extra::Regexes],
    ..SCRIPT
};

pub(super) const PERL: Grammar = Grammar {
    keywords: "and bless chomp cmp defined delete die do each else elsif eq exists for foreach ge given gt if keys last \
        le local lt my ne next no not open or our package print printf push redo require return say shift sort split \
        sub unless until use values wantarray while",
    constants: "undef __PACKAGE__ __FILE__ __LINE__",
    strings: &[DOUBLE_LINES, SINGLE],
    sigils: "$@%",
    ..SCRIPT
};

pub(super) const PHP: Grammar = Grammar {
    keywords: "abstract and as break callable case catch class clone const continue declare default do echo else elseif \
        empty enum extends final finally fn for foreach function global goto if implements include include_once \
        instanceof insteadof interface isset list match namespace new or print private protected public readonly \
        require require_once return static switch throw trait try unset use var while xor yield php",
    types: "array bool float int iterable mixed never object string void self parent",
    constants: "true false null TRUE FALSE NULL",
    line_comments: &["//", "#"],
    block_comments: &[("/*", "*/")],
    strings: &[DOUBLE_LINES, SINGLE],
    sigils: "$",
    extras: &[Extra::Attributes],
    ..SCRIPT
};

pub(super) const LUA: Grammar = Grammar {
    keywords: "and break do else elseif end for function goto if in local not or repeat return then until while export \
        type continue",
    constants: "true false nil",
    line_comments: &["--"],
    block_comments: &[("--[[", "]]")],
    strings: &[DOUBLE, SINGLE, BRACKETS],
    ..SCRIPT
};

pub(super) const R: Grammar = Grammar {
    keywords: "break else for function if in next repeat return while library require source",
    constants: "TRUE FALSE NULL NA NaN Inf NA_integer_ NA_real_ NA_character_",
    in_words: ".",
    capitals: Capitals::Nothing,
    strings: &[DOUBLE_LINES, SINGLE],
    ..SCRIPT
};

pub(super) const JULIA: Grammar = Grammar {
    keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global \
        if import in isa let local macro module mutable primitive public quote return struct try type using where while",
    constants: "true false nothing missing NaN Inf pi",
    in_words: "!",
    block_comments: &[("#=", "=#")],
    strings: &[TRIPLE, DOUBLE],
    prefixes: "r b raw",
    extras: &[Extra::Decorators, Extra::Symbols],
    ..SCRIPT
};

pub(super) const NIM: Grammar = Grammar {
    keywords: "addr and as asm bind block break case cast concept const continue converter defer discard distinct div do \
        elif else end enum except export finally for from func if import in include interface is isnot iterator let \
        macro method mixin mod nil not notin object of or out proc ptr raise ref return shl shr static template try \
        tuple type using var when while xor yield",
    types: "auto bool byte char cstring float float32 float64 int int8 int16 int32 int64 pointer seq string uint uint8 \
        uint16 uint32 uint64 void",
    constants: "true false nil",
    block_comments: &[("#[", "]#")],
    strings: &[TRIPLE, DOUBLE],
    ..SCRIPT
};

pub(super) const POWERSHELL: Grammar = Grammar {
    keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach \
        from function if in param process return switch throw trap try until using while",
    constants: "",
    ignore_case: true,
    in_words: "-",
    capitals: Capitals::Nothing,
    block_comments: &[("<#", "#>")],
    strings: &[DOUBLE_LINES, SINGLE_RAW],
    sigils: "$",
    ..SCRIPT
};

pub(super) const MATLAB: Grammar = Grammar {
    keywords: "break case catch classdef continue else elseif end endfunction endif endwhile endfor events for function \
        global if methods otherwise parfor persistent properties return spmd switch try while",
    constants: "true false pi inf nan eps",
    capitals: Capitals::Nothing,
    line_comments: &["%", "#"],
    strings: &[DOUBLE, SINGLE],
    ..SCRIPT
};

pub(super) const AWK: Grammar = Grammar {
    keywords: "BEGIN END break continue delete do else exit for function getline if in next nextfile print printf return \
        while",
    constants: "FS NF NR OFS ORS RS FILENAME",
    capitals: Capitals::Nothing,
    strings: &[DOUBLE],
    sigils: "$",
    extras: &[Extra::Regexes],
    ..SCRIPT
};

pub(super) const TCL: Grammar = Grammar {
    keywords: "after append array break catch continue else elseif error eval expr for foreach global if incr lappend \
        lindex list llength namespace package proc puts return set source string switch unset uplevel upvar variable \
        while",
    capitals: Capitals::Nothing,
    strings: &[DOUBLE_LINES],
    sigils: "$",
    ..SCRIPT
};
