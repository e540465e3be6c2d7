//! Languages with a grammar.

use super::check;

#[test]
fn rust() {
    check(
        "rust",
        "#[derive(Debug)]\npub struct Point<'a> { x: &'a u8 }",
        "[a:#[derive(Debug)]]\n[k:pub] [k:struct] [t:Point]&lt;[a:'a]&gt; { x: &amp;[a:'a] [t:u8] }",
    );
    check(
        "rs",
        "fn main() { println!(\"{}\", 0..1_000); }",
        "[k:fn] [f:main]() { [f:println!]([s:\"{}\"], [n:0]..[n:1_000]); }",
    );
    check(
        "rust",
        "let c = 'x'; r#\"a \"b\"\"#; b\"\\\"\"; a != MAX",
        "[k:let] c = [s:'x']; [s:r#\"a \"b\"\"#]; [s:b\"\\\"\"]; a != [n:MAX]",
    );
    check("rust", "/* a\n b */ x.await // c", "[c:/* a\n b */] x.await [c:// c]");
}

#[test]
fn python() {
    check(
        "python",
        "@cached\nclass A(B):\n    \"\"\"Doc\n    string\"\"\"",
        "[a:@cached]\n[k:class] [t:A]([t:B]):\n    [s:\"\"\"Doc\n    string\"\"\"]",
    );
    check(
        "py",
        "def f(x: int = 1.5e-3) -> None: # note",
        "[k:def] [f:f](x: [t:int] = [n:1.5e-3]) -&gt; [n:None]: [c:# note]",
    );
    check("py", "rf'a' in it // 2", "[s:rf'a'] [k:in] it // [n:2]");
}

#[test]
fn javascript_and_typescript() {
    check("js", "const a = b / c / d, e = /[/\"]\\/x/g;", "[k:const] a = b / c / d, e = [s:/[/\"]\\/x/g];");
    check("js", "$.get(`a\n${b}`, () => undefined)", "$.[f:get]([s:`a\n${b}`], () =&gt; [n:undefined])");
    check("jsx", "<p>it isn't</p>", "&lt;p&gt;it isn't&lt;/p&gt;");
    check("ts", "type A = Map<string, number>", "[k:type] [t:A] = [t:Map]&lt;[t:string], [t:number]&gt;");
}

#[test]
fn the_descendants_of_c() {
    check(
        "c",
        "#include <a.h>\nint x = 0x1F; char c = '\\n';",
        "[k:#include] &lt;a.h&gt;\n[t:int] x = [n:0x1F]; [t:char] c = [s:'\\n'];",
    );
    check(
        "cpp",
        "std::vector<int> v; return nullptr;",
        "std::[t:vector]&lt;[t:int]&gt; v; [k:return] [n:nullptr];",
    );
    check(
        "go",
        "func (s *S) Do() error { fmt.Println(`a\nb`) }",
        "[k:func] (s *[t:S]) [f:Do]() [t:error] { fmt.[f:Println]([s:`a\nb`]) }",
    );
    check("java", "@Override public void run() {}", "[a:@Override] [k:public] [t:void] [f:run]() {}");
    check(
        "c#",
        "var x = new List<string>(); // x",
        "[k:var] x = [k:new] [t:List]&lt;[t:string]&gt;(); [c:// x]",
    );
    check("kotlin", "fun f(a: Int?) = a ?: null", "[k:fun] [f:f](a: [t:Int]?) = a ?: [n:null]");
    check(
        "swift",
        "guard let x = y else { return nil }",
        "[k:guard] [k:let] x = y [k:else] { [k:return] [n:nil] }",
    );
}

#[test]
fn scripts() {
    check(
        "ruby",
        "def name?\n  @a ||= :b # c\nend",
        "[k:def] [f:name?]\n  [v:@a] ||= [n::b] [c:# c]\n[k:end]",
    );
    check(
        "php",
        "#[A]\n$x = $this->f('a'); // b",
        "[a:#[A]]\n[v:$x] = [v:$this]-&gt;[f:f]([s:'a']); [c:// b]",
    );
    check("lua", "--[[ a\n]] local b = [[c]] -- d", "[c:--[[ a\n]]] [k:local] b = [s:[[c]]] [c:-- d]");
    check(
        "powershell",
        "Get-Item $path | ForEach-Object { If ($true) {} }",
        "Get-Item [v:$path] | ForEach-Object { [k:If] ([v:$true]) {} }",
    );
}

#[test]
fn functional_languages() {
    check(
        "haskell",
        "f' :: Int -> Char -- x\nf' n = 'a'",
        "f' :: [t:Int] -&gt; [t:Char] [c:-- x]\nf' n = [s:'a']",
    );
    check("clojure", "(defn add [a b] (+ a :c)) ; d", "([k:defn] [f:add] [a b] ([f:+] a [n::c])) [c:; d]");
    check(
        "elixir",
        "@doc \"a\"\ndef f(x), do: {:ok, x}",
        "[a:@doc] [s:\"a\"]\n[k:def] [f:f](x), [k:do]: {[n::ok], x}",
    );
}

#[test]
fn queries_and_build_files() {
    check(
        "sql",
        "Select count(*) FROM t WHERE a = 'b' -- c",
        "[k:Select] [f:count](*) [k:FROM] t [k:WHERE] a = [s:'b'] [c:-- c]",
    );
    check(
        "dockerfile",
        "FROM rust:1 AS b\nRUN echo $A # c",
        "[k:FROM] rust:[n:1] [k:AS] b\n[k:RUN] echo [v:$A] [c:# c]",
    );
    check("hcl", "resource \"a\" \"b\" { c = true }", "[k:resource] [s:\"a\"] [s:\"b\"] { c = [n:true] }");
    check(
        "graphql",
        "query A($b: ID!) { c @skip(if: true) }",
        "[k:query] [t:A]([v:$b]: [t:ID]!) { c [a:@skip](if: [n:true]) }",
    );
    check("latex", "\\frac{a}{b} % c", "[k:\\frac]{a}{b} [c:% c]");
}
