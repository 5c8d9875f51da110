//! Writes a corpus for measuring a fleet: documents of healthy prose, a page in every four hundred in a font that nothing can
//! read. Written twice it is a second night: 1 % changed, 1 % new, 1 % deleted.
//!
//! usage: fleet_corpus DIR [DOCUMENTS=25000] [PAGES=20] [NIGHT=1]

use std::path::Path;

use pagesieve::sample::{Font, PageBuilder, PdfBuilder, Sfnt, Simple, Type0, prose};

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize, default| arguments.get(at).map_or(Ok(default), |text| text.parse::<usize>());
    let folder = Path::new(arguments.get(1).ok_or("usage: fleet_corpus DIR [DOCUMENTS] [PAGES] [NIGHT]")?);
    let (n_documents, n_pages, night) = (number(2, 25_000)?, number(3, 20)?, number(4, 1)?);
    for n in 0..n_documents {
        let second = night > 1;
        if second && n % 100 == 7 {
            let _ = std::fs::remove_file(path(folder, n)); // it may be gone already
        } else if !second || n % 100 == 3 {
            write(folder, n, n_pages, night)?;
        }
    }
    for n in 0..(if night > 1 { n_documents / 100 } else { 0 }) {
        write(folder, n_documents + n, n_pages, night)?;
    }
    Ok(())
}

fn path(folder: &Path, n: usize) -> std::path::PathBuf {
    folder.join(format!("{:03}/{n:07}.pdf", n / 256))
}

fn write(folder: &Path, n: usize, n_pages: usize, night: usize) -> Result<(), Error> {
    let mut pdf =
        PdfBuilder::new().producer(["Ledger Press 2.1", "Office Exporter 7.1.2", "Typesetter 1.40"][n % 3]);
    for page in 0..n_pages {
        let dead = (n * n_pages + page) % 400 == 399;
        pdf = pdf.page(|draw| content(draw, &format!("Document {n}, page {page}, night {night}. "), dead));
    }
    let path = path(folder, n);
    std::fs::create_dir_all(path.parent().expect("a folder of its own"))?;
    std::fs::write(path, pdf.compress().build())?;
    Ok(())
}

fn content(page: PageBuilder, title: &str, dead: bool) -> PageBuilder {
    if dead {
        let letters = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]));
        return page.font(letters).paragraph(&prose::ENGLISH[..400]);
    }
    let healthy: Font = Simple::standard14("Helvetica").into();
    page.font(healthy).paragraph(&format!("{title}{}", prose::ENGLISH))
}
