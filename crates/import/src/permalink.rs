//! Patterns of URLs: `/:year/:month/:title/`.

use crate::dates::When;

/// Replaces each `:name` for which there is a value. Doubled slashes become one.
pub(crate) fn fill(pattern: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut parts = pattern.split(':');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let end = part.find(|char: char| !(char.is_ascii_lowercase() || char == '_')).unwrap_or(part.len());
        match value(&part[..end]) {
            Some(text) => out += &format!("{text}{}", &part[end..]),
            None => out += &format!(":{part}"),
        }
    }
    while out.contains("//") {
        out = out.replace("//", "/");
    }
    out
}

/// The parts of a date, by the names that Hugo and Jekyll give them.
pub(crate) fn of_date(name: &str, when: &When) -> Option<String> {
    let date = when.date;
    let [hour, minute, second] = &when.time;
    Some(match name {
        "year" => format!("{:04}", date.year()),
        "short_year" => format!("{:02}", date.year() % 100),
        "month" => format!("{:02}", date.month()),
        "i_month" => date.month().to_string(),
        "monthname" | "long_month" => date.strftime("%B").to_string(),
        "short_month" => date.strftime("%b").to_string(),
        "day" => format!("{:02}", date.day()),
        "i_day" => date.day().to_string(),
        "y_day" => format!("{:03}", date.day_of_year()),
        "yearday" => date.day_of_year().to_string(),
        "weekday" => date.weekday().to_sunday_zero_offset().to_string(),
        "weekdayname" | "long_day" => date.strftime("%A").to_string(),
        "short_day" => date.strftime("%a").to_string(),
        "week" => format!("{:02}", date.iso_week_date().week()),
        "w_year" => date.iso_week_date().year().to_string(),
        "w_day" => date.weekday().to_monday_one_offset().to_string(),
        "hour" => hour.clone(),
        "minute" => minute.clone(),
        "second" => second.clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced() {
        let when = crate::dates::parse("2026-03-05").unwrap();
        let check = |pattern: &str, expected: &str| {
            let value = |name: &str| match name {
                "title" => Some("a-b".to_owned()),
                "categories" => Some(String::new()),
                name => of_date(name, &when),
            };
            assert_eq!(fill(pattern, value), expected);
        };
        check("/:categories/:year/:month/:day/:title.html", "/2026/03/05/a-b.html");
        check("/:short_year/:i_month/:i_day/:y_day/:title/", "/26/3/5/064/a-b/");
        check("/:monthname/:weekdayname/:unknown", "/March/Thursday/:unknown");
        check("/:short_month/:short_day/", "/Mar/Thu/");
    }
}
