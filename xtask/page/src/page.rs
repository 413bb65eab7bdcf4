//! A page: prose, blocks of figures, and a stamp.

use anyhow::{Context as _, ensure};

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end of measured -->";
/// The block that every page ends with.
const STAMP: &str = "stamp";

/// The rows of a stamp, in order.
pub(crate) const ROWS: [&str; 7] = [
    "engine", "commit", "date", "machine", "load", "took", "command",
];

/// A piece of a page.
#[derive(Debug, PartialEq)]
enum Piece {
    /// Lines of the template.
    Prose(String),
    /// The source of figures, and the figures.
    Block(String, String),
}

/// A page as a list of pieces.
#[derive(Debug)]
pub(crate) struct Page(Vec<Piece>);

impl Page {
    /// The text of a page: the template, with the figures that `block` returns for each mark in it.
    pub(crate) fn from_template(
        template: &str,
        block: impl Fn(&str) -> anyhow::Result<String>,
        stamp: &[(&str, String)],
    ) -> anyhow::Result<String> {
        let pieces = pieces_of(template).into_iter().map(|piece| match piece {
            Piece::Block(source, _) if source == STAMP => {
                let rows = stamp
                    .iter()
                    .map(|(row, value)| format!("| {row} | {value} |\n"));
                Ok(Piece::Block(
                    source,
                    format!("| | |\n|---|---|\n{}", rows.collect::<String>()),
                ))
            }
            Piece::Block(source, _) => block(&source).map(|text| Piece::Block(source, text)),
            prose => Ok(prose),
        });
        Ok(Page(pieces.collect::<anyhow::Result<_>>()?).text())
    }

    /// Splits a page into its pieces.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some((prose, block)) = rest.split_once(BEGIN) {
            let (source, block) = block.split_once(" -->\n").context("a mark does not end")?;
            let (figures, after) = block
                .split_once(END)
                .with_context(|| format!("the figures of {source:?} do not end"))?;
            pieces.push(Piece::Prose(prose.to_owned()));
            pieces.push(Piece::Block(source.to_owned(), figures.to_owned()));
            rest = after.strip_prefix('\n').unwrap_or(after);
        }
        pieces.push(Piece::Prose(rest.to_owned()));
        Ok(Page(pieces))
    }

    /// The text with the prose of the template and the figures of this page.
    pub(crate) fn with_prose_of(&self, template: &str) -> anyhow::Result<String> {
        let mut figures = self.blocks();
        let pieces = pieces_of(template).into_iter().map(|piece| match piece {
            Piece::Block(source, _) => {
                let (present, text) = figures.next().context("the page has too few figures")?;
                ensure!(present == source, "the page has {present:?} for {source:?}");
                Ok(Piece::Block(source, text.to_owned()))
            }
            prose => Ok(prose),
        });
        Ok(Page(pieces.collect::<anyhow::Result<_>>()?).text())
    }

    /// Checks that this is the template with figures in it and a complete stamp.
    pub(crate) fn check(&self, template: &str) -> anyhow::Result<()> {
        ensure!(
            self.with_prose_of(template)? == self.text(),
            "its prose is not that of its template: `cargo run -p workspan-page -- prose NAME`"
        );
        for (source, text) in self.blocks() {
            ensure!(!text.trim().is_empty(), "{source:?} has no figures");
        }
        for row in ROWS {
            self.stamped(row)?;
        }
        Ok(())
    }

    /// The engine with which its figures were measured.
    pub(crate) fn engine(&self) -> anyhow::Result<String> {
        self.stamped("engine")
    }

    fn stamped(&self, row: &str) -> anyhow::Result<String> {
        let stamp = self.blocks().find(|(source, _)| *source == STAMP);
        let (_, stamp) = stamp.context("it has no stamp")?;
        let value = stamp.lines().find_map(|line| {
            line.strip_prefix(&format!("| {row} | "))?
                .strip_suffix(" |")
        });
        Ok(value
            .with_context(|| format!("its stamp has no {row}"))?
            .to_owned())
    }

    fn blocks(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Block(source, text) => Some((source.as_str(), text.as_str())),
            Piece::Prose(_) => None,
        })
    }

    fn text(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Prose(text) => text.clone(),
            Piece::Block(source, text) => {
                format!(
                    "{BEGIN}{source} -->\n\n{}\n\n{END}\n",
                    text.trim_matches('\n')
                )
            }
        };
        self.0.iter().map(piece).collect()
    }
}

/// The pieces of a template, in which a line `{SOURCE}` stands for figures, and the stamp at the
/// end.
fn pieces_of(template: &str) -> Vec<Piece> {
    let (mut pieces, mut prose) = (Vec::new(), String::new());
    for line in template.lines() {
        let source = line
            .strip_prefix('{')
            .and_then(|line| line.strip_suffix('}'));
        match source.filter(|source| source.starts_with("output") || source.starts_with("file: ")) {
            Some(source) => {
                pieces.push(Piece::Prose(std::mem::take(&mut prose)));
                pieces.push(Piece::Block(source.to_owned(), String::new()));
            }
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    prose.push_str("\n## Measured with\n\n");
    pieces.push(Piece::Prose(prose));
    pieces.push(Piece::Block(STAMP.to_owned(), String::new()));
    pieces.push(Piece::Prose(String::new()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "# Cost\n\nBefore.\n\n{output}\n\nAfter, and {braces}.\n";

    fn stamp() -> Vec<(&'static str, String)> {
        ROWS.map(|row| (row, format!("of {row}"))).to_vec()
    }

    fn page() -> String {
        Page::from_template(TEMPLATE, |_| Ok("| a |\n".to_owned()), &stamp()).unwrap()
    }

    #[test]
    fn a_page_is_its_template_with_figures_and_a_stamp() {
        let page = Page::parse(&page()).unwrap();
        page.check(TEMPLATE).unwrap();
        assert_eq!(page.engine().unwrap(), "of engine");
        assert!(
            page.text()
                .contains("Before.\n\n<!-- measured: output -->\n\n| a |\n")
        );
        assert!(page.text().contains("After, and {braces}.\n"));
    }

    #[test]
    fn prose_that_was_edited_in_the_page_is_found_and_replaced() {
        let edited = page().replace("Before", "Until now");
        let page = Page::parse(&edited).unwrap();
        assert!(page.check(TEMPLATE).is_err());
        let mended = page.with_prose_of(TEMPLATE).unwrap();
        Page::parse(&mended).unwrap().check(TEMPLATE).unwrap();
        assert!(mended.contains("| a |"));
    }

    #[test]
    fn missing_figures_and_rows_of_the_stamp_are_found() {
        let empty = page().replace("| a |", "");
        assert!(Page::parse(&empty).unwrap().check(TEMPLATE).is_err());
        let unstamped = page().replace("| date | of date |\n", "");
        assert!(Page::parse(&unstamped).unwrap().check(TEMPLATE).is_err());
        let more = format!("{TEMPLATE}\n{{file: target/x}}\n");
        assert!(Page::parse(&page()).unwrap().check(&more).is_err());
    }
}
