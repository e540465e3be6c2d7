//! Tables.

use crate::{check, page};

#[test]
fn a_table_is_in_a_box_that_scrolls() {
    check(
        "| A | B |\n|---|---|\n| 1 | 2 |",
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">\n\
         <table>\n<thead>\n<tr>\n<th>A</th>\n<th>B</th>\n</tr>\n</thead>\n\
         <tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n</div>\n",
    );
}

#[test]
fn tables_of_a_page_have_different_labels() {
    let html = page("|A|\n|-|\n\n|B|\n|-|\n\n|C|\n|-|").html;
    let names: Vec<&str> =
        html.split("aria-label=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect();
    assert_eq!(names, ["Table", "Table 2", "Table 3"]);
}

#[test]
fn alignment_is_a_class() {
    let html = page("|a|b|c|d|\n|:-|:-:|-:|-|\n|1|2|3|4|").html;
    assert!(html.contains(
        "<th class=\"left\">a</th>\n<th class=\"center\">b</th>\n<th class=\"right\">c</th>\n<th>d</th>\n"
    ));
    assert!(html.contains(
        "<td class=\"left\">1</td>\n<td class=\"center\">2</td>\n<td class=\"right\">3</td>\n<td>4</td>\n"
    ));
}

#[test]
fn an_empty_corner_is_not_a_header() {
    assert!(page("| |b|\n|-|-|").html.contains("<tr>\n<td></td>\n<th>b</th>\n</tr>"));
}
