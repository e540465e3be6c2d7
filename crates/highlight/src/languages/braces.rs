//! C, and the languages most like it.

use crate::grammar::{BRACES, CHARACTER, Capitals, DOUBLE, Extra, Grammar, SINGLE, TRIPLE, TRIPLE_SINGLE};

pub(super) const C: Grammar = Grammar {
    keywords: "auto break case const constexpr continue default do else enum extern for goto if inline register \
        restrict return sizeof static struct switch typedef union volatile while alignas alignof static_assert \
        thread_local typeof _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local",
    types: "bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t intptr_t uintptr_t \
        int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t FILE _Bool",
    constants: "true false NULL nullptr",
    prefixes: "L u U u8",
    extras: &[Extra::Directives],
    ..BRACES
};

pub(super) const CPP: Grammar = Grammar {
    keywords: "alignas alignof and asm auto break case catch class co_await co_return co_yield concept const \
        consteval constexpr constinit const_cast continue decltype default delete do dynamic_cast else enum explicit \
        export extern final for friend goto if import inline mutable module namespace new noexcept not operator or \
        override private protected public register reinterpret_cast requires return sizeof static static_assert \
        static_cast struct switch template this thread_local throw try typedef typeid typename union using virtual \
        volatile while xor __global__ __device__ __host__ __shared__",
    types: "bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t \
        ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t string string_view vector map \
        unordered_map set unique_ptr shared_ptr optional variant byte word boolean",
    ..C
};

pub(super) const OBJECTIVE_C: Grammar = Grammar {
    keywords: "break case const continue default do else enum extern for goto if inline in return sizeof static \
        struct switch typedef union volatile while self super nonatomic strong weak copy assign readonly readwrite",
    types: "BOOL bool char double float id instancetype int long short signed unsigned void SEL Class",
    constants: "YES NO nil NULL true false",
    extras: &[Extra::Directives, Extra::Decorators],
    ..C
};

pub(super) const CSHARP: Grammar = Grammar {
    keywords: "abstract as async await base break case catch checked class const continue default delegate do else \
        enum event explicit extern finally fixed for foreach get global goto if implicit in init interface internal \
        is lock namespace new not operator or out override params partial private protected public readonly record \
        ref required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe \
        using var virtual volatile when where while with yield",
    types: "bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong \
        ushort void",
    capitals: Capitals::TypeUnlessCalled,
    strings: &[TRIPLE, DOUBLE, CHARACTER],
    extras: &[Extra::Directives],
    ..BRACES
};

pub(super) const JAVA: Grammar = Grammar {
    keywords: "abstract assert break case catch class continue default do else enum exports extends final finally \
        for if implements import instanceof interface module native new non-sealed opens package permits private \
        protected public record requires return sealed static strictfp super switch synchronized this throw throws \
        transient try var volatile when while with yield",
    types: "boolean byte char double float int long short void",
    strings: &[TRIPLE, DOUBLE, CHARACTER],
    extras: &[Extra::Decorators],
    ..BRACES
};

pub(super) const KOTLIN: Grammar = Grammar {
    keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline \
        do else enum expect external final finally for fun if import in infix init inline inner interface \
        internal is lateinit noinline object open operator out override package private protected public reified \
        return sealed super suspend tailrec this throw try typealias val var vararg when where while",
    ..JAVA
};

pub(super) const SCALA: Grammar = Grammar {
    keywords: "abstract case catch class def do else enum export extends extension final finally for forSome given \
        if implicit import infix inline lazy match new object opaque open override package private protected return \
        sealed super then this throw trait transparent try type using val var while with yield end derives",
    ..JAVA
};

pub(super) const GROOVY: Grammar = Grammar {
    keywords: "abstract as assert break case catch class continue def default do else enum extends final finally for \
        if implements import in instanceof interface new package private protected public return static super switch \
        synchronized this throw throws trait try var while",
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    ..JAVA
};

pub(super) const DART: Grammar = Grammar {
    keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do \
        else enum export extends extension external factory final finally for if implements import in \
        interface is late library mixin new operator required rethrow return sealed static super \
        switch sync this throw try typedef var when while with yield",
    types: "bool double dynamic int num void Function Never",
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    prefixes: "r",
    ..JAVA
};

pub(super) const SWIFT: Grammar = Grammar {
    keywords: "actor any as associatedtype async await break case catch class continue convenience default defer deinit \
        do dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect infix \
        init inout internal is isolated lazy let macro mutating nonisolated open operator optional override postfix \
        precedencegroup prefix private protocol public repeat required rethrows return self Self set some static \
        struct subscript super switch throw throws try typealias unowned var weak where while",
    constants: "true false nil",
    strings: &[TRIPLE, DOUBLE],
    extras: &[Extra::Decorators, Extra::Directives],
    ..BRACES
};
