//! `bench/run [PART…] [--all] [--sizes 1000,10000]`

use anyhow::{Context, Result, bail};

const SIZES: [usize; 2] = [1000, 10_000];
const ALL_SIZES: [usize; 4] = [1000, 5000, 10_000, 50_000];

pub struct Options {
    words: Vec<String>,
    /// Page counts of the sites to build.
    pub sizes: Vec<usize>,
}

impl Options {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Options> {
        let mut options = Options { words: Vec::new(), sizes: SIZES.into() };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--all" => options.sizes = ALL_SIZES.into(),
                "--sizes" => options.sizes = sizes(&arguments.next().context("--sizes 1000,10000")?)?,
                flag if flag.starts_with('-') => bail!("unknown option {flag}; see bench/run"),
                _ => options.words.push(argument),
            }
        }
        Ok(options)
    }

    /// A part is selected if its name contains one of the words, or if there are none.
    pub fn selects(&self, part: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| part.contains(word.as_str()))
    }
}

fn sizes(text: &str) -> Result<Vec<usize>> {
    text.split(',')
        .map(|size| size.parse().with_context(|| format!("{size:?} is not a number of pages")))
        .collect()
}
