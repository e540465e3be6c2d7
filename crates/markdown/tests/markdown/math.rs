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
fn prices_are_no_formulas() {
    check("From $5 to $10.", "<p>From $5 to $10.</p>\n");
}

#[test]
fn a_long_formula_is_read_too() {
    let long = "x + ".repeat(500);
    assert!(crate::page(&format!("$${long}x$$")).html.contains("<math"));
}
