//! Healthy samples are read right by independent tools (poppler, mupdf, qpdf); the damaged ones are damaged as said.

use std::path::PathBuf;
use std::process::Command;

use super::*;

/// Writes a file where the tools can read it.
struct OnDisk(tempfile::TempDir);

impl OnDisk {
    fn of(file: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sample.pdf"), file).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("sample.pdf")
    }

    /// Success, standard output and standard error of a tool, which must be installed.
    fn run(&self, tool: &str, before: &[&str], after: &[&str]) -> (bool, String, String) {
        let output = Command::new(tool).args(before).arg(self.path()).args(after).output();
        let output = output.unwrap_or_else(|error| {
            panic!("`{tool}` cannot be run ({error}): install poppler-utils, mupdf-tools and qpdf")
        });
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    }
}

/// Text with white space made single spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn poppler(file: &[u8]) -> String {
    words(&OnDisk::of(file).run("pdftotext", &[], &["-"]).1)
}

fn mupdf(file: &[u8]) -> String {
    words(&OnDisk::of(file).run("mutool", &["draw", "-q", "-F", "txt"], &[]).1)
}

fn qpdf(file: &[u8]) {
    let (ok, text, errors) = OnDisk::of(file).run("qpdf", &["--check"], &[]);
    assert!(ok, "qpdf: {text}{errors}");
}

fn one_page(font: impl Into<Font>, text: &str) -> PdfBuilder {
    PdfBuilder::new().page(|page| page.font(font).show(text))
}

const TEXT: &str = "Court of Appeal, 17 March";

/// Every tool reads `text`, and qpdf finds nothing to complain about.
fn assert_read(file: &[u8], text: &str) {
    qpdf(file);
    assert_eq!(poppler(file), text, "poppler");
    assert_eq!(mupdf(file), text, "mupdf");
}

#[test]
fn standard_font_is_read() {
    assert_read(&one_page(Simple::standard14("Helvetica"), TEXT).build(), TEXT);
}

#[test]
fn every_layout_of_the_file_is_read() {
    let file = || one_page(Simple::standard14("Helvetica"), TEXT).producer("Sample 1.0");
    assert_read(&file().compress().build(), TEXT);
    assert_read(&file().xref_stream().build(), TEXT);
    assert_read(&file().object_streams().compress().build(), TEXT);
    assert_read(&file().tree_depth(5).build(), TEXT);
}

#[test]
fn truetype_under_identity_h_with_to_unicode_is_read() {
    for sfnt in [Sfnt::latin(), Sfnt::mac_order().without(&["cmap", "post"]), Sfnt::latin().composites()] {
        let font = Type0::identity_h(sfnt).to_unicode(ToUnicode::Right);
        assert_read(&one_page(font, "Café, 17 März").build(), "Café, 17 März");
    }
}

#[test]
fn simple_truetype_is_read() {
    assert_read(&one_page(Simple::truetype(Sfnt::latin()), "Café, 17 März").build(), "Café, 17 März");
}

#[test]
fn cff_and_type1_programs_are_read() {
    let letters = "Court of Appal, 17 Mrch";
    let custom =
        CffEncoding::Custom { codes: (33..=255).take(126).collect(), supplements: vec![(20, "A".into())] };
    assert_read(&one_page(Simple::type1(Cff::latin()), TEXT).build(), TEXT);
    assert_read(&one_page(Simple::type1(Type1Font::latin()), TEXT).build(), TEXT);
    let built_in =
        Simple::type1(Cff::latin().encoding(custom)).no_encoding().codes_from(33, &latin_letters());
    assert_read(&one_page(built_in, TEXT).build(), TEXT);
    let built_in = Type1Font::latin().encode_from(40, letters);
    let font = Simple::type1(built_in).no_encoding().codes_from(40, letters);
    assert_read(&one_page(font, "Court of Appal").build(), "Court of Appal");
    let wrapped = Program::OpenType(Sfnt::with_letters(&latin_letters()), Cff::latin());
    assert_read(&one_page(Simple::type1(wrapped), TEXT).build(), TEXT);
}

#[test]
fn cff_under_identity_h_is_read_with_to_unicode() {
    let glyphs = || glyphs_for(&latin_letters());
    for cff in [
        Cff::latin(),
        Cff::cid_keyed("Adobe", "Identity", 0, glyphs()),
        Cff::cid_keyed("Adobe", "Identity", 0, glyphs()).cids(|gid, _| 1000 - gid),
    ] {
        let font = Type0::identity_h(cff).to_unicode(ToUnicode::Right);
        assert_read(&one_page(font, TEXT).build(), TEXT);
    }
}

#[test]
fn type3_is_read_by_names_and_by_to_unicode() {
    let letters = &(' '..='~').collect::<String>();
    assert_eq!(poppler(&one_page(Type3::new(letters), TEXT).build()), TEXT);
    let font = Type3::new(letters)
        .codes_from(33)
        .named(|_, code| format!("g{code}"))
        .procedures(CharProc::Bitmap)
        .to_unicode(ToUnicode::Right);
    assert_read(&one_page(font, TEXT).build(), TEXT);
}

#[test]
fn every_program_draws_the_same_letters() {
    let ink = |font: Font| {
        let disk = OnDisk::of(&one_page(font, TEXT).build());
        let image = disk.0.path().join("page.pgm");
        let (ok, _, errors) =
            disk.run("mutool", &["draw", "-q", "-r", "100", "-o", image.to_str().unwrap()], &["1"]);
        assert!(ok, "{errors}");
        let pixels = std::fs::read(image).unwrap();
        pixels.iter().skip(20).filter(|&&pixel| pixel < 128).count() as f32
    };
    let ascii: String = (' '..='~').collect();
    let expected = ink(Simple::truetype(Sfnt::latin()).into());
    assert!(expected > 500.0, "{expected}");
    for font in [
        Simple::type1(Cff::latin()).into(),
        Simple::type1(Type1Font::latin()).into(),
        Type0::identity_h(Sfnt::mac_order()).into(),
        Type0::identity_h(Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&ascii))).into(),
        Type3::new(&ascii).into(),
    ] {
        let share = ink(font) / expected;
        assert!((0.95..1.05).contains(&share), "{share}");
    }
}

#[test]
fn severed_font_is_read_by_nobody() {
    let font = Type0::identity_h(Sfnt::mac_order().monospaced(600).without(&["cmap", "post"]));
    let file = one_page(font, "COURT").build();
    qpdf(&file);
    assert_ne!(poppler(&file), "COURT");
    assert_ne!(mupdf(&file), "COURT");
}

#[test]
fn predefined_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("GBK-EUC-H", "GB1", "中文文本"),
        ("UniGB-UCS2-H", "GB1", "中文文本"),
        ("UniGB-UTF16-H", "GB1", "中文文本"),
        ("90ms-RKSJ-H", "Japan1", "日本語の文"),
        ("Identity-H", "Japan1", "日本語の文"),
        ("KSCms-UHC-H", "Korea1", "한국어"),
        ("ETen-B5-H", "CNS1", "繁體中文"),
    ] {
        let file = one_page(Type0::not_embedded("SimSun", cmap, ordering), text).build();
        qpdf(&file);
        assert_eq!(mupdf(&file), text, "{cmap}");
    }
}

#[test]
fn encrypted_files_open_with_their_password_only() {
    for cipher in [Cipher::Rc4Of40Bits, Cipher::Rc4Of128Bits, Cipher::Aes128, Cipher::Aes256] {
        let file = || one_page(Simple::standard14("Helvetica"), TEXT);
        assert_eq!(mupdf(&file().encrypt(Encryption::open(cipher)).build()), TEXT, "{cipher:?}");
        let locked = OnDisk::of(&file().encrypt(Encryption::locked(cipher, "open")).build());
        assert!(!locked.run("pdftotext", &[], &["-"]).0, "{cipher:?}");
        assert!(locked.run("pdftotext", &["-upw", "open"], &["-"]).1.contains(TEXT), "{cipher:?}");
    }
}

#[test]
fn every_filter_decodes_to_the_same_page() {
    for filters in [
        vec![Filter::Flate],
        vec![Filter::Lzw],
        vec![Filter::Ascii85],
        vec![Filter::AsciiHex],
        vec![Filter::RunLength],
        vec![Filter::Ascii85, Filter::Flate],
    ] {
        let stream = StreamSpec::default().filters(&filters);
        let file = PdfBuilder::new()
            .page(|page| page.font(Simple::standard14("Helvetica")).show(TEXT).stream(stream))
            .build();
        assert_eq!(poppler(&file), TEXT, "{filters:?}");
    }
}

#[test]
fn images_forms_and_annotations_are_valid() {
    let helvetica: Font = Simple::standard14("Helvetica").into();
    let file = PdfBuilder::new()
        .page(|page| {
            page.image(Image::grey(20, 20), [0.0, 0.0, 612.0, 792.0])
                .font(&helvetica)
                .show("page")
                .form(|form| form.font(&helvetica).at(72.0, 600.0).show("form"))
                .layer(false, |page| page.show("hidden"))
                .text_field([72.0, 500.0, 300.0, 520.0], "field", |form| form.font(&helvetica).show("field"))
                .actual_text("replaced", |page| page.show("as drawn"))
        })
        .build();
    qpdf(&file);
    let text = poppler(&file);
    for word in ["page", "form", "field", "replaced"] {
        assert_eq!(text.matches(word).count(), 1, "{word}: {text}");
    }
    assert!(!text.contains("hidden") && !text.contains("drawn"), "{text}");
}

#[test]
fn a_page_listed_twice_is_there_twice() {
    let file = one_page(Simple::standard14("Helvetica"), TEXT).repeat_page(0).build();
    assert_eq!(OnDisk::of(&file).run("qpdf", &["--show-npages"], &[]).1.trim(), "2");
}

#[test]
fn bombs_are_small_and_inflate_to_what_is_said() {
    use std::io::Read as _;
    let n_bytes = 256 << 20;
    let bomb = bomb_flate(n_bytes);
    assert!(bomb.len() < 14_000, "{} bytes", bomb.len());
    assert!(bomb_flate(8 << 30).len() < 14_000);
    let inner = flate2::read::ZlibDecoder::new(bomb.as_slice());
    let mut zeros = flate2::read::ZlibDecoder::new(std::io::BufReader::new(inner));
    let mut buffer = vec![0; 1 << 20];
    let mut total = 0_u64;
    loop {
        match zeros.read(&mut buffer).unwrap() {
            0 => break,
            n => total += n as u64,
        }
    }
    assert_eq!(total, n_bytes);
}

#[test]
fn samples_have_names_of_their_own_and_a_route_for_every_page() {
    let files = files();
    assert!(files.windows(2).all(|pair| pair[0].name < pair[1].name));
    for file in files.iter().filter(|file| !file.routes.is_empty() && file.name != "truncated.pdf") {
        qpdf(&file.bytes);
        let n_pages = OnDisk::of(&file.bytes).run("qpdf", &["--show-npages"], &[]).1;
        assert_eq!(n_pages.trim(), file.routes.len().to_string(), "{}", file.name);
    }
}

#[test]
fn samples_are_what_their_descriptions_say() {
    let files = files();
    let bytes = |name: &str| &files.iter().find(|file| file.name == name).unwrap().bytes;
    for name in ["clean.pdf", "encrypted-open.pdf", "object-streams.pdf"] {
        let text = poppler(bytes(name));
        let expected = [prose::ENGLISH, prose::GERMAN, prose::FRENCH].map(words).join(" ");
        assert_eq!(text, expected, "{name}");
    }
    assert!(mupdf(bytes("truncated.pdf")).starts_with("The harbour office"));
    assert!(mupdf(bytes("arabic.pdf")).starts_with("في كل صباح"));
    assert!(mupdf(bytes("arabic-visual-order.pdf")).starts_with("ىلإ"));
    assert!(mupdf(bytes("cjk.pdf")).contains("毎朝六時になると"));
    assert!(poppler(bytes("severed-font.pdf")).starts_with("&2857\u{3}2)"));
    assert_eq!(poppler(bytes("outlined.pdf")), "1");
    for name in ["encrypted-locked.pdf", "malformed.pdf"] {
        assert!(!OnDisk::of(bytes(name)).run("pdftotext", &[], &["-"]).0, "{name}");
    }
}

#[test]
fn samples_are_the_same_at_every_build() {
    for (first, second) in files().iter().zip(files()) {
        assert!(first.bytes == second.bytes, "{}", first.name);
    }
}
