//! The files of `pagesieve sample DIR`: one fault each, and the nearest healthy file.

use std::io;
use std::path::Path;

use super::damage::Damage;
use super::*;

/// One sample file.
#[derive(Debug, Clone)]
pub struct Sample {
    /// File name, `.pdf` included.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// What pagesieve should say of it, in words.
    pub expected: &'static str,
    /// The route of each page, spelled as in every output; empty where the file cannot be scored.
    pub routes: Vec<&'static str>,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Writes every sample into a folder, which is made if it is missing; returns what was written.
pub fn write(folder: &Path) -> io::Result<Vec<Sample>> {
    std::fs::create_dir_all(folder)?;
    let files = files();
    for file in &files {
        std::fs::write(folder.join(file.name), &file.bytes)?;
    }
    Ok(files)
}

/// All samples, by name.
pub fn files() -> Vec<Sample> {
    let mut files = [fonts(), pictures(), scripts(), containers(), reports()].concat();
    files.sort_by_key(|file| file.name);
    files
}

fn sample(
    name: &'static str,
    description: &'static str,
    expected: &'static str,
    routes: &[&'static str],
    file: PdfBuilder,
) -> Sample {
    Sample { name, description, expected, routes: routes.to_vec(), bytes: file.build() }
}

fn helvetica() -> Font {
    Simple::standard14("Helvetica").into()
}

/// A font as an office program embeds it: TrueType under Identity-H, with a right ToUnicode map.
fn body_font() -> Font {
    let letters: String = (' '..='~').chain(prose::GERMAN.chars()).chain(prose::FRENCH.chars()).collect();
    Type0::identity_h(Sfnt::for_text(&letters).composites())
        .base_font("BCDEEE+Body")
        .to_unicode(ToUnicode::Right)
        .into()
}

/// The severed font: glyph indices for codes, and nothing left that leads to letters.
fn severed_font() -> Sfnt {
    Sfnt::mac_order().monospaced(600)
}

fn severed() -> Font {
    Type0::identity_h(severed_font().without(&["cmap", "post"])).into()
}

const HEADING: &str = "COURT OF APPEAL DECISION OF MARCH";

/// A heading over nine times as much clean running text in another font.
fn heading_over_prose(page: PageBuilder, heading: Font) -> PageBuilder {
    let text: Vec<&str> = prose::sentences(prose::ENGLISH).take(4).collect();
    page.font(heading).size(14.0).show(HEADING).font(helvetica()).size(11.0).paragraph(&text.join(" "))
}

fn fonts() -> Vec<Sample> {
    let one_line =
        |font: Font| PdfBuilder::new().producer("Legacy RIP 4.2").page(|page| page.font(font).show(HEADING));
    vec![
        sample(
            "severed-font.pdf",
            "one line in a subset font without ToUnicode, cmap and glyph names: looks right, copies as nonsense",
            "page 1: ocr, undecodable_font, proven, case C15",
            &["ocr"],
            one_line(severed()),
        ),
        sample(
            "severed-font-footer.pdf",
            "the same line, above nine times as much healthy text, which must not acquit it",
            "page 1: ocr, undecodable_font, proven, with the region of the line",
            &["ocr"],
            PdfBuilder::new().producer("Legacy RIP 4.2").page(|page| heading_over_prose(page, severed())),
        ),
        sample(
            "severed-font-twin-cmap.pdf",
            "the same line; the font program kept its cmap table",
            "page 1: keep, read from the font program (case C10)",
            &["keep"],
            one_line(Type0::identity_h(severed_font().without(&["post"])).into()),
        ),
        sample(
            "severed-font-twin-names.pdf",
            "the same line; the font program kept its glyph names",
            "page 1: keep, read from the font program (case C14)",
            &["keep"],
            one_line(Type0::identity_h(severed_font().without(&["cmap"])).into()),
        ),
        sample(
            "mac-glyph-order.pdf",
            "the same damage in a proportional font: advances confirm the well-known Mac glyph order",
            "page 1: decode, known_glyph_order",
            &["decode"],
            PdfBuilder::new().producer("Office Exporter 7.1.2").page(|page| {
                let font = Type0::identity_h(Sfnt::mac_order().without(&["cmap", "post"]));
                page.font(font).paragraph(prose::ENGLISH)
            }),
        ),
        sample(
            "shifted-unicode.pdf",
            "a ToUnicode map that names the letter before the right one; the program's cmap denies it",
            "page 1: ocr, contradicted_unicode; decode where the shift is solved",
            &["ocr"],
            PdfBuilder::new().producer("Reporting Engine 2.0 (build 113)").page(|page| {
                let font = Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::shifted(-1));
                page.font(font).paragraph(prose::ENGLISH)
            }),
        ),
    ]
}

fn pictures() -> Vec<Sample> {
    const WHOLE: [f32; 4] = [0.0, 0.0, 612.0, 792.0];
    let scan = || Image::scan_of_text(1275, 1650);
    let layer = |page: PageBuilder, text: &str| {
        page.image(scan(), WHOLE).font(helvetica()).render_mode(3).size(11.0).paragraph(text)
    };
    vec![
        sample(
            "scan.pdf",
            "a page that is one picture of 150 dots an inch",
            "page 1: ocr, scanned",
            &["ocr"],
            PdfBuilder::new().producer("ScanStation 900 1.4").page(|page| page.image(scan(), WHOLE)),
        ),
        sample(
            "scan-with-header.pdf",
            "the same picture under a digital header and page number",
            "page 1: ocr, scan_with_overlay, with the region of the picture",
            &["ocr"],
            PdfBuilder::new().producer("ScanStation 900 1.4").page(|page| {
                page.image(scan(), [0.0, 0.0, 612.0, 740.0])
                    .font(helvetica())
                    .size(9.0)
                    .at(72.0, 760.0)
                    .show("Filed 17 March 2024, case 2024/118, page 1 of 1")
            }),
        ),
        sample(
            "scan-with-good-layer.pdf",
            "the same picture over an invisible OCR layer that reads well",
            "page 1: keep",
            &["keep"],
            PdfBuilder::new().producer("OCR Suite 12").page(|page| layer(page, prose::ENGLISH)),
        ),
        sample(
            "scan-with-bad-layer.pdf",
            "the same picture over an OCR layer of letters that make no words",
            "page 1: ocr, untrusted_ocr_layer",
            &["ocr"],
            PdfBuilder::new().producer("OCR Suite 12").page(|page| layer(page, &ciphered(prose::ENGLISH))),
        ),
        sample(
            "outlined.pdf",
            "a page whose letters are filled paths, under one live page number",
            "page 1: ocr, outlined_text",
            &["ocr"],
            PdfBuilder::new().producer("Layout Studio 19.2 (Macintosh)").compress().page(|page| {
                let font = Sfnt::latin();
                let lines = page.clone().font(helvetica()).lines(prose::ENGLISH, 468.0);
                let page = lines.iter().fold(page, |page, line| page.outlined(&font, line));
                page.font(helvetica()).at(300.0, 40.0).show("1")
            }),
        ),
    ]
}

/// Letters that make no words: every one turned eleven places.
fn ciphered(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            'a'..='z' => (b'a' + (letter as u8 - b'a' + 11) % 26) as char,
            'A'..='Z' => (b'A' + (letter as u8 - b'A' + 11) % 26) as char,
            other => other,
        })
        .collect()
}

fn scripts() -> Vec<Sample> {
    let arabic = |show_line: fn(PageBuilder, &str) -> PageBuilder| {
        PdfBuilder::new().producer("Office Writer 5.4").page(|page| {
            let font = Type0::identity_h(Sfnt::for_text(prose::ARABIC)).base_font("CDEFGH+Naskh");
            page.font(font.to_unicode(ToUnicode::Right)).size(14.0).paragraph_rtl(prose::ARABIC, show_line)
        })
    };
    let cjk = |page: PageBuilder, base_font: &str, cmap: &str, ordering: &str, text: &str| {
        let font: Font = Type0::not_embedded(base_font, cmap, ordering).into();
        wrap(page.font(font), text, 30)
    };
    vec![
        sample(
            "arabic.pdf",
            "Arabic in logical order, drawn from right to left",
            "page 1: keep",
            &["keep"],
            arabic(|page, line| page.show_rtl(line)),
        ),
        sample(
            "arabic-visual-order.pdf",
            "the same text stored as it looks, from left to right: every line copies backwards",
            "page 1: repair, visual_order",
            &["repair"],
            arabic(|page, line| page.show(&line.chars().rev().collect::<String>())),
        ),
        sample(
            "cjk.pdf",
            "Chinese, Japanese and Korean in fonts that are not embedded and have no ToUnicode map",
            "pages 1 to 5: keep, read by the predefined CMaps",
            &["keep"; 5],
            PdfBuilder::new()
                .producer("Forms Server 3.11")
                .page(|page| cjk(page, "SimSun", "GBK-EUC-H", "GB1", prose::CHINESE))
                .page(|page| cjk(page, "STSong-Light", "UniGB-UCS2-H", "GB1", prose::CHINESE))
                .page(|page| cjk(page, "MS-Mincho", "90ms-RKSJ-H", "Japan1", prose::JAPANESE))
                .page(|page| cjk(page, "KozMinPro-Regular", "Identity-H", "Japan1", prose::JAPANESE))
                .page(|page| cjk(page, "HYSMyeongJo-Medium", "KSCms-UHC-H", "Korea1", prose::KOREAN)),
        ),
        sample(
            "identity-unicode.pdf",
            "Chinese with a ToUnicode map that calls every glyph index a character",
            "page 1: ocr, identity_unicode_on_glyphs",
            &["ocr"],
            PdfBuilder::new().producer("Print Driver 1.0").page(|page| {
                let program = Sfnt::for_text(prose::CHINESE);
                let font =
                    Type0::identity_h(program).base_font("DEFGHI+Song").to_unicode(ToUnicode::Identity);
                wrap(page.font(font), prose::CHINESE, 30)
            }),
        ),
    ]
}

/// Lines of a fixed number of characters, for text without spaces.
fn wrap(page: PageBuilder, text: &str, n_letters: usize) -> PageBuilder {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(n_letters).fold(page, |page, line| page.show(&line.iter().collect::<String>()))
}

fn clean() -> PdfBuilder {
    PdfBuilder::new()
        .info("Title", "The pier")
        .page(|page| page.font(body_font()).size(11.0).paragraph(prose::ENGLISH))
        .page(|page| {
            page.font(body_font()).size(11.0).paragraph(prose::GERMAN).paragraph("").paragraph(prose::FRENCH)
        })
}

fn containers() -> Vec<Sample> {
    let keep_both = ["keep", "keep"];
    vec![
        sample(
            "clean.pdf",
            "two pages of running text with everything in order",
            "pages 1 and 2: keep",
            &keep_both,
            clean().producer("Writer 24.2").compress(),
        ),
        sample(
            "encrypted-open.pdf",
            "the same, encrypted with an empty user password",
            "pages 1 and 2: keep",
            &keep_both,
            clean().producer("Secure Distribution 2.1").encrypt(Encryption::open(Cipher::Rc4Of40Bits)),
        ),
        sample(
            "encrypted-locked.pdf",
            "the same, encrypted with a user password",
            "state encrypted: no page rows, no OCR requests",
            &[],
            clean()
                .producer("Secure Distribution 2.1")
                .encrypt(Encryption::locked(Cipher::Rc4Of40Bits, "tide")),
        ),
        sample(
            "object-streams.pdf",
            "the same, packed into object streams",
            "pages 1 and 2: keep",
            &keep_both,
            clean().producer("pdfTeX-1.40.25").compress().object_streams(),
        ),
        sample(
            "truncated.pdf",
            "the same, cut off in transfer: the cross-reference is gone, the pages are there",
            "pages 1 and 2: keep, read by repairing the file",
            &keep_both,
            clean().producer("Writer 24.2").damage(Damage::NoXref),
        ),
        sample(
            "malformed.pdf",
            "the first line of it: no page is left",
            "state malformed",
            &[],
            clean().producer("Writer 24.2").damage(Damage::Truncated(0.0005)),
        ),
        sample(
            "blank.pdf",
            "an empty page",
            "page 1: keep, blank",
            &["keep"],
            PdfBuilder::new().producer("Print Driver 1.0").page(|page| page),
        ),
    ]
}

/// What a page of the mixed report is.
#[derive(Clone, Copy)]
enum Kind {
    Prose,
    DeadHeading,
    Scan,
    Blank,
    Outlined,
    Table,
}

fn reports() -> Vec<Sample> {
    use Kind::{Blank, DeadHeading, Outlined, Prose, Scan, Table};
    let kinds = [
        Prose,
        Prose,
        Table,
        Prose,
        DeadHeading,
        Prose,
        Prose,
        Scan,
        Prose,
        Table,
        Prose,
        Outlined,
        Prose,
        Prose,
        Blank,
        DeadHeading,
        Prose,
        Table,
        Prose,
        Prose,
    ];
    let (body, dead) = (body_font(), severed());
    let mut file =
        PdfBuilder::new().producer("Report Builder 11.0.3").info("Title", "Annual report").compress();
    for (i, kind) in kinds.into_iter().enumerate() {
        file = file.page(|page| report_page(page, kind, i, &body, &dead));
    }
    let routes: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            Prose | Table | Blank => "keep",
            DeadHeading | Scan | Outlined => "ocr",
        })
        .collect();
    vec![sample(
        "report.pdf",
        "twenty pages: prose and tables, two with a dead heading, one scanned, one outlined, one blank",
        "pages 5, 8, 12 and 16: ocr; the others: keep",
        &routes,
        file,
    )]
}

fn report_page(page: PageBuilder, kind: Kind, index: usize, body: &Font, dead: &Font) -> PageBuilder {
    let sentences: Vec<&str> = prose::sentences(prose::ENGLISH).collect();
    let text: Vec<&str> = (0..8).map(|i| sentences[(index * 5 + i) % sentences.len()]).collect();
    let text = text.join(" ");
    match kind {
        Kind::Blank => page,
        Kind::Scan => page.image(Image::scan_of_text(1275, 1650), [0.0, 0.0, 612.0, 792.0]),
        Kind::Prose => page.font(body).size(11.0).paragraph(&text),
        Kind::DeadHeading => page.font(dead).size(14.0).show(HEADING).font(body).size(11.0).paragraph(&text),
        Kind::Outlined => {
            let font = Sfnt::latin();
            let lines = page.clone().font(body).size(11.0).lines(&text, 468.0);
            lines.iter().fold(page.size(11.0), |page, line| page.outlined(&font, line))
        }
        Kind::Table => {
            let page = page.font(body).size(11.0).show("Landings by month, in tonnes").show("");
            let months = ["January", "March", "May", "July", "September", "November"];
            let page = (0..6_usize).fold(page, |page, row| {
                let y = 660.0 - 20.0 * row as f32;
                let amount = (index * 37 + row * 211) % 900 + 100;
                page.op(&format!("72 {} 468 0.5 re f", y - 5.0))
                    .at(80.0, y)
                    .show(months[row])
                    .at(300.0, y)
                    .show(&format!("{amount}.{row}"))
            });
            page.at(72.0, 500.0).paragraph(&text)
        }
    }
}
