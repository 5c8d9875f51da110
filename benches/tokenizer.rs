//! Bytes of content tokenised per second, on one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pagesieve::score::pdf::Tokenizer;

/// Lines of kerned text, as typesetters write them.
fn text(n_lines: usize) -> Vec<u8> {
    let mut content = b"BT\n/F8 9.9626 Tf\n".to_vec();
    for line in 0..n_lines {
        let words =
            "[(The)-333(unit)-334(of)-333(judgemen)28(t)-333(is)-334(the)-333(fon)28(t)-333(in)-334(the)]TJ";
        content.extend(format!("0 -{}.955 Td {words}\n", 11 + line % 3).bytes());
    }
    content.extend(b"ET\n");
    content
}

/// Curves, as drawing programs write them.
fn paths(n_paths: usize) -> Vec<u8> {
    let mut content = Vec::new();
    for at in 0..n_paths {
        let (x, y) = (at % 600, at / 600);
        content.extend(
            format!("{x}.125 {y}.5 m {x}.75 {y}.25 l {x}.128 {y}.2 {x}.33 {y}.4 {x}.9 {y}.1 c h f\n").bytes(),
        );
    }
    content
}

fn count(content: &[u8]) -> usize {
    let mut tokens = Tokenizer::new(content);
    let mut n_operands = 0;
    while tokens.next_op().is_some() {
        n_operands += tokens.operands().len();
    }
    n_operands
}

fn tokenizer(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tokenizer");
    for (name, content) in [("text", text(10_000)), ("paths", paths(10_000))] {
        group.throughput(Throughput::Bytes(content.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| count(&content)));
    }
    group.finish();
}

criterion_group!(benches, tokenizer);
criterion_main!(benches);
