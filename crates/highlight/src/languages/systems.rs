//! Newer languages with braces.

use crate::grammar::{
    BACKTICK, BACKTICK_RAW, BRACES, CHARACTER, Capitals, DOUBLE, DOUBLE_LINES, Extra, Grammar, SINGLE,
};

pub(super) const GO: Grammar = Grammar {
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
        package range return select struct switch type var",
    types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string \
        uint uint8 uint16 uint32 uint64 uintptr",
    constants: "true false nil iota",
    capitals: Capitals::TypeUnlessCalled,
    strings: &[DOUBLE, CHARACTER, BACKTICK_RAW],
    ..BRACES
};

pub(super) const RUST: Grammar = Grammar {
    keywords: "as async await break const continue crate dyn else enum extern fn for gen if impl in let loop match mod \
        move mut pub ref return self Self static struct super trait type union unsafe use where while yield \
        macro_rules",
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    constants: "true false",
    strings: &[DOUBLE_LINES, CHARACTER],
    prefixes: "r b br c cr",
    extras: &[Extra::Attributes, Extra::Macros, Extra::Lifetimes, Extra::Hashes],
    ..BRACES
};

pub(super) const ZIG: Grammar = Grammar {
    keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const \
        continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend \
        opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable \
        usingnamespace var volatile while",
    types: "anyerror bool comptime_float comptime_int f16 f32 f64 f128 i8 i16 i32 i64 i128 isize noreturn type u1 u8 \
        u16 u32 u64 u128 usize void",
    constants: "true false null undefined",
    extras: &[Extra::Decorators],
    ..BRACES
};

pub(super) const D: Grammar = Grammar {
    keywords: "abstract alias align asm assert auto body break case cast catch class const continue debug default \
        delegate delete deprecated do else enum export extern final finally for foreach foreach_reverse function goto \
        if immutable import in inout interface invariant is lazy mixin module new nothrow out override package pragma \
        private protected public pure ref return scope shared static struct super switch synchronized template this \
        throw try typeid typeof union unittest version while with",
    types: "bool byte char dchar double float int long real short string ubyte uint ulong ushort void wchar",
    strings: &[DOUBLE, CHARACTER, BACKTICK_RAW],
    extras: &[Extra::Decorators],
    ..BRACES
};

pub(super) const V: Grammar = Grammar {
    keywords: "as asm assert atomic break const continue defer else enum fn for go goto if implements import in \
        interface is isreftype lock match module mut or pub return rlock select shared sizeof spawn static struct type \
        typeof union unsafe",
    types: "bool byte f32 f64 i8 i16 i64 i128 int isize rune string u8 u16 u32 u64 u128 usize voidptr",
    constants: "true false none",
    strings: &[DOUBLE, SINGLE, BACKTICK],
    extras: &[Extra::Decorators],
    ..BRACES
};

pub(super) const ODIN: Grammar = Grammar {
    keywords: "asm auto_cast bit_set break case cast context continue defer distinct do dynamic else enum fallthrough \
        for foreign if import in map matrix not_in or_else or_return package proc return struct switch transmute \
        typeid union using when where",
    types: "any bool byte cstring f16 f32 f64 i8 i16 i32 i64 i128 int rawptr rune string u8 u16 u32 u64 u128 uint \
        uintptr",
    constants: "true false nil",
    strings: &[DOUBLE, CHARACTER, BACKTICK_RAW],
    extras: &[Extra::Directives, Extra::Decorators],
    ..BRACES
};

pub(super) const SHADER: Grammar = Grammar {
    keywords: "attribute break buffer case const continue default discard do else flat fn for highp if in inout layout \
        let loop lowp mediump out override precision return smooth static struct switch texture uniform var varying \
        while cbuffer register",
    types: "bool bvec2 bvec3 bvec4 double f16 f32 float float2 float3 float4 float4x4 half i32 int ivec2 ivec3 ivec4 \
        mat2 mat3 mat4 mat4x4f sampler sampler2D samplerCube u32 uint uvec2 uvec3 uvec4 vec2 vec2f vec3 vec3f vec4 \
        vec4f void",
    extras: &[Extra::Directives, Extra::Decorators],
    ..BRACES
};

pub(super) const SOLIDITY: Grammar = Grammar {
    keywords: "abstract anonymous as assembly break calldata catch constant constructor continue contract delete do else \
        emit enum error event external fallback for from function if immutable import indexed interface internal is \
        library mapping memory modifier new override payable pragma private public pure receive return returns revert \
        storage struct super this throw try type unchecked using var view virtual while",
    types: "address bool byte bytes bytes4 bytes32 int int256 string uint uint8 uint16 uint32 uint64 uint128 uint256",
    strings: &[DOUBLE, SINGLE],
    ..BRACES
};
