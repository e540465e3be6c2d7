//! Languages with a custom lexer.

use super::check;

#[test]
fn shell() {
    check(
        "bash",
        "#!/bin/sh\nfor f in *.md; do cat \"$f\"; done",
        "[c:#!/bin/sh]\n[k:for] f [k:in] *.md; [k:do] [f:cat] [s:\"$f\"]; [k:done]",
    );
    check(
        "sh",
        "A=1 curl -X POST 'a b' \\\n  -d ${B:-c} | sudo tee x # d",
        "[v:A]=1 [f:curl] [a:-X] POST [s:'a b'] \\\n  [a:-d] [v:${B:-c}] | [f:sudo] [f:tee] x [c:# d]",
    );
    check("bash", "cat <<'EOF'\n$a\nEOF\nls", "[f:cat] &lt;&lt;'[s:EOF]'\n[s:$a\nEOF]\n[f:ls]");
    check("bash", "x=$(date) y#z", "[v:x]=$([f:date]) y#z");
    check("bash", "$ cargo build", "$ [f:cargo] build");
}

#[test]
fn terminal() {
    check(
        "console",
        "$ ls -l\ntotal 0\nme@host:~# id",
        "[c:$] [f:ls] [a:-l]\ntotal 0\n[c:me@host:~#] [f:id]",
    );
}

#[test]
fn json() {
    check(
        "json",
        "{\"a\": [1, -2.5e3, \"b\\\"\", null]}",
        "{[f:\"a\"]: [[n:1], [n:-2.5e3], [s:\"b\\\"\"], [n:null]]}",
    );
    check("json5", "{a: 'b', /* c */} // d", "{[f:a]: [s:'b'], [c:/* c */]} [c:// d]");
}

#[test]
fn yaml() {
    check(
        "yaml",
        "# a\nb: \"c\" # d\ne:\n  - f: 1.5\n  - g",
        "[c:# a]\n[f:b]: [s:\"c\"] [c:# d]\n[f:e]:\n  - [f:f]: [n:1.5]\n  - g",
    );
    check("yml", "a: |\n  b: c\n\n  d\ne: true", "[f:a]: |\n  [s:b: c]\n\n  [s:d]\n[f:e]: [n:true]");
    check(
        "yaml",
        "a: &b !c [1, x]\nurl: http://d/#e",
        "[f:a]: [a:&amp;b] [a:!c] [[n:1], x]\n[f:url]: http://d/#e",
    );
}

#[test]
fn toml_and_ini() {
    check(
        "toml",
        "[a.b] # c\nd = 'e'\nf = [\n  1,\n]\n\"g\" = 2020-01-02",
        "[t:[a.b]] [c:# c]\n[f:d] = [s:'e']\n[f:f] = [\n  [n:1],\n]\n[f:\"g\"] = [n:2020-01-02]",
    );
    check("ini", "[a]\n; b\nc = d e", "[t:[a]]\n[c:; b]\n[f:c] =[s: d e]");
    check("env", "A=b\n# c", "[f:A]=[s:b]\n[c:# c]");
}

#[test]
fn html() {
    check(
        "html",
        "<!doctype html><!-- a -->\n<a href=\"b\" c=d>e&amp;</a>",
        "[k:&lt;!doctype html&gt;][c:&lt;!-- a --&gt;]\n&lt;[k:a] [a:href]=[s:\"b\"] [a:c]=[s:d]&gt;e[n:&amp;amp;]&lt;/[k:a]&gt;",
    );
    check(
        "html",
        "<style>a { top: 0 }</style>\n<script>let b</script>",
        "&lt;[k:style]&gt;[k:a] { [a:top]: [n:0] }&lt;/[k:style]&gt;\n&lt;[k:script]&gt;[k:let] b&lt;/[k:script]&gt;",
    );
    check(
        "vue",
        "<p :a=\"b\" @click=\"c\">{{ d }}</p>",
        "&lt;[k:p] [a::a]=[s:\"b\"] [a:@click]=[s:\"c\"]&gt;{{ d }}&lt;/[k:p]&gt;",
    );
}

#[test]
fn css() {
    check(
        "css",
        "a.b:hover, #c { color: #fff; margin: -1.5em !important }",
        "[k:a][t:.b][a::hover], [t:#c] { [a:color]: [n:#fff]; [a:margin]: [n:-1.5em] [k:!important] }",
    );
    check(
        "scss",
        "@media print { $a: var(--b); // c\n}",
        "[k:@media] [k:print] { [v:$a]: [f:var]([v:--b]); [c:// c]\n}",
    );
    check("css", "a { background: url(http://b/c;d) }", "[k:a] { [a:background]: [f:url](http://b/c;d) }");
}

#[test]
fn diff() {
    check(
        "diff",
        "--- a\n+++ b\n@@ -1 +1 @@\n-c\n+d\n e",
        "[k:--- a]\n[k:+++ b]\n[a:@@ -1 +1 @@]\n[d:-c]\n[i:+d]\n e",
    );
}

#[test]
fn http() {
    check(
        "http",
        "POST /a HTTP/1.1\nHost: b\n\n{\"c\": 1}",
        "[k:POST] /a HTTP/1.1\n[f:Host]: b\n\n{[f:\"c\"]: [n:1]}",
    );
    check("http", "HTTP/1.1 204 No Content\n", "[k:HTTP/1.1] 204 No Content\n");
}

#[test]
fn markdown() {
    check(
        "md",
        "# A\n- b `c` [d](e)\n> f\n```js\ng\n```\nh",
        "[k:# A]\n[a:-] b [s:`c`] [d][v:(e)]\n[c:&gt; f]\n[s:```js\ng\n```]\nh",
    );
}
