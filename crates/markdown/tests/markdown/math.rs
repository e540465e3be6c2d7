//! Formulas.

use crate::check;

#[test]
fn a_formula_is_mathml() {
    check(
        "Let $x^2 < y$.",
        "<p>Let <math><msup><mi>x</mi><mn>2</mn></msup><mo>&lt;</mo><mi>y</mi></math>.</p>\n",
    );
}

#[test]
fn a_formula_alone_is_a_block() {
    let block = "<div class=\"math\" tabindex=\"0\"><math display=\"block\"><mi>x</mi></math></div>\n";
    check("$$x$$", block);
    check("$$\nx\n$$", block);
    check("```math\nx\n```", block);
}

#[test]
fn a_formula_between_words_stands_on_its_own_line() {
    check("a $$x$$ b", "<p>a <math display=\"block\"><mi>x</mi></math> b</p>\n");
}

#[test]
fn a_formula_that_cannot_be_read_is_shown_as_written() {
    check("$\\nosuch<$", "<p><code class=\"math-error\">\\nosuch&lt;</code></p>\n");
    check(
        "```math\n\\nosuch\n```",
        "<pre tabindex=\"0\"><code class=\"math-error\">\\nosuch\n</code></pre>\n",
    );
}

#[test]
fn a_matrix_is_valid_html() {
    check(
        "$\\begin{matrix}a&b\\end{matrix}$",
        "<p><math><mtable displaystyle=\"false\"><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable></math></p>\n",
    );
}

#[test]
fn prices_are_not_formulas() {
    check("From $5 to $10.", "<p>From $5 to $10.</p>\n");
}

#[test]
fn a_long_formula_is_read_too() {
    let long = "x + ".repeat(500);
    assert!(crate::page(&format!("$${long}x$$")).html.contains("<math"));
}

#[test]
fn a_dollar_before_white_space_or_a_digit_is_a_dollar() {
    check("a $ x$ b", "<p>a $ x$ b</p>\n");
    check("a $x $ b", "<p>a $x $ b</p>\n");
    check("$5,$6 and $x$5", "<p>$5,$6 and $x$5</p>\n");
}

#[test]
fn code_and_links_come_before_formulas() {
    check("Set $HOME or use `$PATH`.", "<p>Set $HOME or use <code>$PATH</code>.</p>\n");
    check(
        "`$a` and $b `c` d$ and `$e`",
        "<p><code>$a</code> and $b <code>c</code> d$ and <code>$e</code></p>\n",
    );
    check("[$a](/b$) c", "<p><a href=\"/b$\">$a</a> c</p>\n");
    check("<i title=\"$a\">b$</i>", "<p><i title=\"$a\">b$</i></p>\n");
    check("<code>$a$</code>", "<p><code>$a$</code></p>\n");
    check("$A `$B` $C `$D`", "<p>$A <code>$B</code> $C <code>$D</code></p>\n");
}

#[test]
fn a_formula_may_stand_in_a_link_and_hold_brackets() {
    let x = "<math><mi>x</mi></math>";
    check("[$x$](/b)", &format!("<p><a href=\"/b\">{x}</a></p>\n"));
    assert!(crate::page("$f[1](x)$ and $a<b>c$").html.matches("<math>").count() == 2);
}

#[test]
fn a_formula_may_stand_in_backticks() {
    check("$`x`$", "<p><math><mi>x</mi></math></p>\n");
}
