//! Writes a corpus for measuring a fleet: documents of healthy prose, and in every twentieth a page in a font that nothing
//! can read. Written twice it is a second night: 1 % changed, 1 % new, 1 % deleted.
//!
//! usage: fleet_corpus DIR [DOCUMENTS=25000] [PAGES=20] [NIGHT=1]

use std::collections::BTreeMap;
use std::path::Path;

use pagesieve::sample::{Font, PageBuilder, PdfBuilder, Sfnt, Simple, ToUnicode, Type0, prose};

/// Different documents.
const KINDS: usize = 400;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize, default| arguments.get(at).map_or(Ok(default), |text| text.parse::<usize>());
    let folder = Path::new(arguments.get(1).ok_or("usage: fleet_corpus DIR [DOCUMENTS] [PAGES] [NIGHT]")?);
    let (n_documents, n_pages, night) = (number(2, 25_000)?, number(3, 20)?, number(4, 1)?);
    let mut press = Press { made: BTreeMap::new(), n_pages };
    for n in 0..n_documents {
        let second = night > 1;
        if second && n % 100 == 7 {
            let _ = std::fs::remove_file(path(folder, n)); // it may be gone already
        } else if !second || n % 100 == 3 {
            press.write(&path(folder, n), n, night)?;
        }
    }
    for n in 0..(if night > 1 { n_documents / 100 } else { 0 }) {
        press.write(&path(folder, n_documents + n), n_documents + n, night)?;
    }
    Ok(())
}

fn path(folder: &Path, n: usize) -> std::path::PathBuf {
    folder.join(format!("{:03}/{n:07}.pdf", n / 256))
}

/// Documents are one of a few, each made different by a comment at its end.
struct Press {
    made: BTreeMap<usize, Vec<u8>>,
    n_pages: usize,
}

impl Press {
    fn write(&mut self, path: &Path, n: usize, night: usize) -> Result<(), Error> {
        let n_pages = self.n_pages;
        let mut file = self.made.entry(n % KINDS).or_insert_with(|| document(n % KINDS, n_pages)).clone();
        file.extend(format!("% document {n}, night {night}\n").bytes());
        std::fs::create_dir_all(path.parent().expect("a folder of its own"))?;
        Ok(std::fs::write(path, file)?)
    }
}

fn document(kind: usize, n_pages: usize) -> Vec<u8> {
    let producer = ["Ledger Press 2.1", "Office Exporter 7.1.2", "Typesetter 1.40"][kind % 3];
    let mut pdf = PdfBuilder::new().producer(producer);
    for page in 0..n_pages {
        let dead = kind % 20 == 3 && page + 1 == n_pages;
        pdf = pdf.page(|draw| content(draw, &format!("Kind {kind}, page {page}. "), dead));
    }
    pdf.compress().build()
}

fn content(page: PageBuilder, title: &str, dead: bool) -> PageBuilder {
    if dead {
        let letters = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]));
        return page.font(letters).paragraph(&prose::ENGLISH[..400]);
    }
    // As dense as a page of a book, most of it in an embedded subset, as nearly all PDFs have it.
    let heading: Font = Simple::standard14("Helvetica").into();
    let body = Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::Right);
    let page = page.font(heading).paragraph(title).font(body).size(9.0);
    page.paragraph(prose::ENGLISH).paragraph(prose::ENGLISH)
}
