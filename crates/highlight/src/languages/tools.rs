//! Queries, schemas, build files and documents.

use crate::grammar::{
    BACKTICK_RAW, BRACES, Capitals, DOUBLE, DOUBLE_LINES, Extra, Grammar, PLAIN, SINGLE, SINGLE_RAW, TRIPLE,
};

pub(super) const SQL: Grammar = Grammar {
    keywords: "add after all alter analyze and any as asc attach autoincrement before begin between by call cascade case \
        check cluster column comment commit concurrently conflict constraint copy create cross current cursor database \
        declare default deferrable delete desc describe distinct do drop each else end escape except exclude exec \
        execute exists explain extension fetch filter first following for foreign from full function generated grant \
        group groups having if ignore immediate in index inner insert instead intersect into is isnull join key \
        language last lateral left like limit lock loop materialized merge natural no not nothing notnull nulls of \
        offset on only or order outer over overlaps partition policy pragma preceding primary procedure range recursive \
        references refresh reindex release rename replace restrict return returning returns revoke right role rollback \
        row rows savepoint schema select sequence set show similar start table tablespace temp temporary then ties to \
        transaction trigger truncate unbounded union unique unlogged update use using vacuum values view virtual when \
        where while window with without",
    types: "bigint bigserial binary bit blob bool boolean box bytea char character cidr clob date datetime decimal double \
        enum float inet int int2 int4 int8 integer interval json jsonb money nchar number numeric nvarchar point \
        precision real serial smallint text time timestamp timestamptz tinyint uuid varbinary varchar varying xml",
    constants: "true false null current_timestamp current_date current_time current_user",
    ignore_case: true,
    line_comments: &["--", "#"],
    block_comments: &[("/*", "*/")],
    strings: &[SINGLE_RAW, DOUBLE, BACKTICK_RAW],
    prefixes: "e n x b E N X B",
    sigils: "$@",
    ..PLAIN
};

pub(super) const GRAPHQL: Grammar = Grammar {
    keywords: "directive enum extend fragment implements input interface mutation on query repeatable scalar schema \
        subscription type union",
    types: "Boolean Float ID Int String",
    capitals: Capitals::Type,
    line_comments: &["#"],
    strings: &[TRIPLE, DOUBLE],
    sigils: "$",
    extras: &[Extra::Decorators],
    ..PLAIN
};

pub(super) const PROTOBUF: Grammar = Grammar {
    keywords: "edition enum exception exports extend extensions import include interface map message namespace oneof option \
        optional package public repeated required reserved returns rpc service stream struct syntax throws to typedef \
        union using weak",
    types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64 i8 \
        i16 i32 i64 void list set binary Text Data Bool Int32 Int64 UInt32 UInt64",
    line_comments: &["//", "#"],
    strings: &[DOUBLE, SINGLE],
    ..BRACES
};

pub(super) const HCL: Grammar = Grammar {
    keywords: "check data dynamic for for_each if import in locals module moved output provider provisioner removed \
        resource terraform variable",
    types: "any bool list map number object set string tuple",
    in_words: "-",
    line_comments: &["#", "//"],
    block_comments: &[("/*", "*/")],
    strings: &[DOUBLE],
    ..PLAIN
};

pub(super) const DOCKERFILE: Grammar = Grammar {
    keywords: "add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal \
        user volume workdir",
    constants: "",
    ignore_case: true,
    in_words: "-",
    line_comments: &["#"],
    strings: &[DOUBLE_LINES, SINGLE],
    sigils: "$",
    ..PLAIN
};

pub(super) const MAKEFILE: Grammar = Grammar {
    keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override undefine unexport vpath set alias \
        import mod",
    constants: "",
    in_words: "-.",
    line_comments: &["#"],
    strings: &[DOUBLE, SINGLE],
    sigils: "$",
    ..PLAIN
};

pub(super) const CMAKE: Grammar = Grammar {
    keywords: "if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro include return \
        break continue and or not public private interface required",
    constants: "on off true false",
    ignore_case: true,
    line_comments: &["#"],
    block_comments: &[("#[[", "]]")],
    strings: &[DOUBLE_LINES],
    sigils: "$",
    ..PLAIN
};

pub(super) const NGINX: Grammar = Grammar {
    keywords: "events http server location upstream if map geo types stream include listen server_name root index \
        proxy_pass proxy_set_header return rewrite try_files add_header ssl_certificate ssl_certificate_key error_page \
        access_log error_log alias allow deny expires gzip client_max_body_size fastcgi_pass reverse_proxy file_server \
        handle handle_path encode header redir respond tls import route",
    constants: "on off",
    line_comments: &["#"],
    strings: &[DOUBLE, SINGLE],
    sigils: "$@",
    ..PLAIN
};

pub(super) const LATEX: Grammar =
    Grammar { constants: "", line_comments: &["%"], strings: &[], extras: &[Extra::Commands], ..PLAIN };

pub(super) const FORTRAN: Grammar = Grammar {
    keywords: "allocatable allocate associate block call case class contains cycle data deallocate default dimension do \
        elemental else elseif end enddo endif exit external function go if implicit in inout integer intent interface \
        intrinsic kind module none only optional out parameter pointer private procedure program public pure read \
        recursive result return save select stop subroutine target then type use where while write print",
    types: "character complex double integer logical precision real",
    constants: "",
    ignore_case: true,
    line_comments: &["!"],
    ..PLAIN
};

pub(super) const PASCAL: Grammar = Grammar {
    keywords: "and array as asm begin case class const constructor destructor div do downto else end except exports file \
        finalization finally for function goto if implementation in inherited initialization inline interface is label \
        library mod nil not object of on operator or out packed private procedure program property protected public \
        published raise record repeat set shl shr then threadvar to try type unit until uses var virtual while with xor",
    types: "ansistring boolean byte cardinal char double extended int64 integer longint pchar real shortint single smallint \
        string variant widestring word",
    constants: "true false nil",
    ignore_case: true,
    line_comments: &["//"],
    block_comments: &[("{", "}"), ("(*", "*)")],
    strings: &[SINGLE_RAW],
    ..PLAIN
};

pub(super) const VISUAL_BASIC: Grammar = Grammar {
    keywords: "addhandler addressof alias and andalso as async await byref byval call case catch class const continue \
        declare default delegate dim do each else elseif end enum event exit finally for friend function get global goto \
        handles if implements imports in inherits interface is isnot let lib like loop me mod module mustinherit \
        mustoverride mybase namespace new next not of on operator option optional or orelse overridable overrides \
        paramarray partial private property protected public raiseevent readonly redim resume return select set shadows \
        shared static step stop structure sub then throw to try until using when while with withevents xor",
    types: "boolean byte char date decimal double integer long object short single string uinteger ulong ushort",
    constants: "true false nothing",
    ignore_case: true,
    line_comments: &["'"],
    strings: &[DOUBLE],
    ..PLAIN
};
