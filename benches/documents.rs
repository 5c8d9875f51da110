//! Whole documents through the scoring library: by what their fonts are, and by pages and threads.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pagesieve::sample::{Font, PdfBuilder, Sfnt, ToUnicode, Type0, prose};
use pagesieve::score::{Limits, score_document};

/// A document of pages full of English in one font.
fn document(font: &Font, n_pages: usize) -> Vec<u8> {
    let text = prose::sentences(prose::ENGLISH).take(20).collect::<Vec<_>>().join(" ");
    (0..n_pages)
        .fold(PdfBuilder::new().compress(), |file, _| file.page(|page| page.font(font).paragraph(&text)))
        .build()
}

fn latin() -> Sfnt {
    Sfnt::latin().monospaced(600)
}

/// A page in fonts that take different paths: certified by their program, judged by their letters, proven dead.
fn fonts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fonts");
    let without_routes = || latin().without(&["cmap", "post"]);
    for (name, font) in [
        ("to_unicode_and_program", Font::from(Type0::identity_h(latin()).to_unicode(ToUnicode::Right))),
        ("to_unicode_alone", Type0::identity_h(without_routes()).to_unicode(ToUnicode::Right).into()),
        ("wrong_to_unicode", Type0::identity_h(without_routes()).to_unicode(ToUnicode::rotated(5)).into()),
        ("dead", Type0::identity_h(without_routes()).into()),
    ] {
        let file = document(&font, 1);
        group.bench_function(name, |bencher| bencher.iter(|| score_document(&file, &Limits::default())));
    }
    group.finish();
}

/// Predefined and embedded CMaps: the codes of a page of Chinese by way of each.
fn cmaps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cmaps");
    for (cmap, ordering) in [("GBK-EUC-H", "GB1"), ("UniGB-UCS2-H", "GB1"), ("UniGB-UTF16-H", "GB1")] {
        let font = Font::from(Type0::not_embedded("SimSun", cmap, ordering));
        let file = PdfBuilder::new().page(|page| page.font(font).show("中文文本")).build();
        group.bench_function(cmap, |bencher| bencher.iter(|| score_document(&file, &Limits::default())));
    }
    group.finish();
}

/// Pages a second against pages of a document and threads.
fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("documents");
    group.sample_size(10);
    let font = Font::from(Type0::identity_h(latin()).to_unicode(ToUnicode::Right));
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    for n_pages in [1, 10, 100, 1_000, 10_000] {
        let file = document(&font, n_pages);
        group.throughput(Throughput::Elements(n_pages as u64));
        for threads in 1..=n_threads {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
            let name = BenchmarkId::new(format!("{threads}_threads"), n_pages);
            group.bench_function(name, |bencher| {
                bencher.iter(|| pool.install(|| score_document(&file, &Limits::default())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, fonts, cmaps, sizes);
criterion_main!(benches);
