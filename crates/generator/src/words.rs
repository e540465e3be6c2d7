//! The theme's own words, and the form of dates and numbers, in the language of a site. The forms are those of the Unicode
//! CLDR.

mod ar;
mod de;
mod en;
mod es;
mod fr;
mod he;
mod it;
mod ja;
mod ko;
mod nl;
mod pl;
mod pt;
mod zh;

use serde_json::json;

use crate::text::Day;

/// `{}` stands for a number or a text. Counts have the forms for one, for few and for many; most languages need two.
#[derive(Debug)]
pub(crate) struct Words {
    pub skip: &'static str,
    pub site: &'static str,
    pub more: &'static str,
    pub docs: &'static str,
    pub blog: &'static str,
    pub tags: &'static str,
    pub feed: &'static str,
    pub sitemap: &'static str,
    pub breadcrumbs: &'static str,
    pub latest: &'static str,
    pub all_posts: &'static str,
    pub all_docs: &'static str,
    pub pages: &'static str,
    pub posts: &'static str,
    pub sections: &'static str,
    pub empty: &'static str,
    pub unpublished: &'static str,
    pub not_found: &'static str,
    pub not_found_lead: &'static str,
    pub home: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
    pub older: &'static str,
    pub newer: &'static str,
    pub on_this_page: &'static str,
    pub contents: &'static str,
    pub close: &'static str,
    pub docs_menu: &'static str,
    pub updated: &'static str,
    pub edit: &'static str,
    pub minutes: &'static str,
    pub section_pages: &'static str,
    pub archive: &'static str,
    pub days: &'static str,
    pub part: &'static str,
    pub all: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub search: &'static str,
    pub search_label: &'static str,
    pub results: &'static str,
    pub no_results: &'static str,
    pub search_hint: &'static str,
    pub text: markdown::Words,
    pub page_count: [&'static str; 3],
    pub section_count: [&'static str; 3],
    /// The colours of the device, light, dark.
    pub schemes: [&'static str; 3],
    /// As in a date.
    pub months: [&'static str; 12],
    /// Without a day, if they differ then.
    pub months_alone: Option<[&'static str; 12]>,
    pub short_months: [&'static str; 12],
    pub long_date: &'static str,
    pub short_date: &'static str,
    pub month_year: &'static str,
    /// Between groups of three digits.
    pub thousands: &'static str,
}

impl Words {
    /// Those of a language tag such as `pt-BR`; English where there are none.
    pub fn of(tag: &str) -> &'static Words {
        let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        match language.as_str() {
            "ar" => &ar::WORDS,
            "de" => &de::WORDS,
            "es" => &es::WORDS,
            "fr" => &fr::WORDS,
            "he" | "iw" => &he::WORDS,
            "it" => &it::WORDS,
            "ja" => &ja::WORDS,
            "ko" => &ko::WORDS,
            "nl" => &nl::WORDS,
            "pl" => &pl::WORDS,
            "pt" => &pt::WORDS,
            "zh" => &zh::WORDS,
            _ => &en::WORDS,
        }
    }

    /// `2 October 2026`
    pub fn long(&self, day: &Day) -> String {
        date(self.long_date, self.months[day.month_index()], *day)
    }

    /// `2 Oct 2026`
    pub fn short(&self, day: &Day) -> String {
        date(self.short_date, self.short_months[day.month_index()], *day)
    }

    /// `October 2026`
    pub fn month_and_year(&self, day: &Day) -> String {
        date(self.month_year, self.month_alone(day), *day)
    }

    fn month_alone(&self, day: &Day) -> &'static str {
        self.months_alone.unwrap_or(self.months)[day.month_index()]
    }

    /// The name of a month in a list of the months of a year.
    pub fn month(&self, day: &Day) -> String {
        match self.month_alone(day) {
            // Languages that number their months.
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.month_year.replace("{year}年", "").replace("{year}년 ", "").replace("{month}", number)
            }
            name => capitalised(name),
        }
    }

    /// `12,345`
    pub fn number(&self, n: usize) -> String {
        let digits = n.to_string();
        let mut text = String::new();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push_str(self.thousands);
            }
            text.push(digit);
        }
        text
    }

    /// `1 page`, `12 pages`
    pub fn pages(&self, n: usize) -> String {
        self.counted(n, &self.page_count)
    }

    pub fn sections(&self, n: usize) -> String {
        self.counted(n, &self.section_count)
    }

    /// `All 12 pages`
    pub fn all_of(&self, count: String) -> String {
        fill(self.all, &count)
    }

    fn counted(&self, n: usize, forms: &[&str; 3]) -> String {
        // The rule of Polish; the other languages have no form for few of its own.
        let form = match (n, n % 10, n % 100) {
            (1, ..) => forms[0],
            (_, 2..=4, tens) if !(12..=14).contains(&tens) => forms[1],
            _ => forms[2],
        };
        fill(form, &self.number(n))
    }

    /// For the script, as JSON.
    pub fn for_script(&self) -> String {
        json!({
            "copy": self.copy,
            "copied": self.copied,
            "schemes": self.schemes,
            "search": self.search_label,
            "none": self.no_results,
        })
        .to_string()
    }
}

/// A pattern with a value in the place of `{}`.
pub(crate) fn fill(pattern: &str, value: &str) -> String {
    pattern.replacen("{}", value, 1)
}

fn date(pattern: &str, month: &str, day: Day) -> String {
    let text = pattern.replace("{day}", &day.day.to_string()).replace("{year}", &day.year.to_string());
    text.replace("{month}", month)
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Day = Day { year: 2026, month: 10, day: 2 };

    #[test]
    fn dates_have_the_form_of_the_language() {
        let check = |tag: &str, long: &str, month: &str| {
            let words = Words::of(tag);
            assert_eq!(
                (words.long(&DAY).as_str(), words.month_and_year(&DAY).as_str()),
                (long, month),
                "{tag}"
            );
        };
        check("en", "2 October 2026", "October 2026");
        check("de-AT", "2. Oktober 2026", "Oktober 2026");
        check("pt-BR", "2 de outubro de 2026", "outubro de 2026");
        check("pl", "2 października 2026", "październik 2026");
        check("ja", "2026年10月2日", "2026年10月");
        check("ko", "2026년 10월 2일", "2026년 10월");
        check("ar", "2 أكتوبر 2026", "أكتوبر 2026");
        check("sv", "2 October 2026", "October 2026");
        assert_eq!(Words::of("fr").month(&DAY), "Octobre");
        assert_eq!(Words::of("zh").month(&DAY), "10月");
        assert_eq!(Words::of("ko").month(&DAY), "10월");
    }

    #[test]
    fn counts_have_the_form_of_the_language() {
        let polish = |n| Words::of("pl").pages(n);
        assert_eq!(
            [1, 2, 5, 12, 22, 25].map(polish),
            ["1 strona", "2 strony", "5 stron", "12 stron", "22 strony", "25 stron"]
        );
        let english = |n| Words::of("en").pages(n);
        assert_eq!([0, 1, 22, 12_345].map(english), ["0 pages", "1 page", "22 pages", "12,345 pages"]);
        assert_eq!(Words::of("he").pages(1), "דף אחד");
    }

    #[test]
    fn patterns_have_their_placeholders() {
        for tag in ["ar", "de", "en", "es", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "zh"] {
            let words = Words::of(tag);
            for pattern in
                [words.updated, words.minutes, words.part, words.all, words.results, words.no_results]
            {
                assert_eq!(pattern.matches("{}").count(), 1, "{tag}: {pattern}");
            }
            for pattern in [words.long_date, words.short_date] {
                assert!(
                    ["{day}", "{month}", "{year}"].iter().all(|part| pattern.contains(part)),
                    "{tag}: {pattern}"
                );
            }
        }
    }
}
