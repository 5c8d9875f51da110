//! Damages held-out text in every way and counts what is caught: letters-evaluate DATA [key=value]...
//!
//! DATA is what `fetch.sh` laid out. Keys: `windows` (2000 a language and class), `languages` (en,de,…), `lengths`
//! (60,200,400), `classes` (clean,shift,…), `show` (print up to so many texts judged otherwise than they should be).
//!
//! A window is running text of so many letters, without overlap. Caught: something is held against it. Unjudged:
//! `judged = false`. Trusted: the rest. Intervals are Wilson's, 95 %.

#![allow(unreachable_pub, missing_docs, reason = "a program")]
#![allow(dead_code, reason = "the sources are shared with the builder")]

mod damage;
mod sources;

use std::path::Path;
use std::time::Instant;

use damage::{Class, Random};
use pagesieve::score::signals::letters::chars::{Char, Kind};
use pagesieve::score::signals::letters::judge::{Judgement, Known, Sample, is_code_like, judge};
use pagesieve::score::signals::letters::words::Words;

struct Options {
    windows: usize,
    languages: Vec<String>,
    lengths: Vec<usize>,
    classes: Vec<Class>,
    show: usize,
}

fn options() -> Options {
    let all =
        "en de fr es pt it nl pl cs sk hu ro sv da nb fi tr vi id ru uk bg sr el ar fa ur he hi th ko zh ja";
    let mut options = Options {
        windows: 2_000,
        languages: all.split(' ').map(str::to_owned).collect(),
        lengths: vec![60, 200, 400],
        classes: Class::ALL.to_vec(),
        show: 0,
    };
    for argument in std::env::args().skip(2) {
        let (key, value) = argument.split_once('=').expect("key=value");
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match key {
            "windows" => options.windows = value.parse().expect("a number"),
            "languages" => options.languages = list(),
            "lengths" => options.lengths = list().iter().map(|n| n.parse().expect("a number")).collect(),
            "classes" => {
                options.classes = list().iter().map(|n| Class::by_name(n).expect("a class")).collect();
            }
            "show" => options.show = value.parse().expect("a number"),
            _ => panic!("unknown key `{key}`"),
        }
    }
    options
}

/// Running text of `letters` letters a window, the sources by turns.
pub fn windows(dir: &Path, code: &str, letters: usize, most: usize) -> Vec<String> {
    let mut sources: Vec<std::vec::IntoIter<String>> =
        sources::held_out(dir, code).into_iter().map(|(_, paragraphs)| paragraphs.into_iter()).collect();
    let mut out = Vec::new();
    while !sources.is_empty() && out.len() < most {
        sources.retain_mut(|source| {
            let (mut window, mut n) = (String::new(), 0);
            for paragraph in source.by_ref() {
                for word in paragraph.split_inclusive(' ') {
                    window.push_str(word);
                    n += word.chars().filter(|c| Char::of(*c).kind == Kind::Letter).count();
                    if n >= letters {
                        break;
                    }
                }
                if n >= letters {
                    break;
                }
                window.push('\n');
            }
            if n >= letters && out.len() < most {
                out.push(window);
                return true;
            }
            false
        });
    }
    out
}

#[derive(Default)]
struct Tally {
    n: usize,
    caught: usize,
    unjudged: usize,
    by_reason: std::collections::BTreeMap<String, usize>,
}

fn interval(k: usize, n: usize) -> (f64, f64) {
    let (n, z) = (n as f64, 1.96);
    let p = k as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    (100.0 * (middle - half).max(0.0), 100.0 * (middle + half).min(1.0))
}

fn main() {
    let dir = std::env::args().nth(1).expect("letters-evaluate DATA");
    let dir = Path::new(&dir);
    let options = options();
    println!("language class letters windows caught% [95%] unjudged% trusted% [95%] µs/window reasons");
    let mut totals: std::collections::BTreeMap<(usize, &str), Tally> = Default::default();
    for code in &options.languages {
        for &length in &options.lengths {
            // Lists of functions and tables are no running text: what is no prose when clean is not counted.
            let is_prose = |text: &String| !is_code_like(&Words::read(text.chars()));
            let mut texts = windows(dir, code, length, options.windows * 5 / 4);
            texts.retain(is_prose);
            texts.truncate(options.windows);
            for &class in &options.classes {
                let mut tally = Tally::default();
                let mut shown = 0;
                let started = Instant::now();
                for (i, text) in texts.iter().enumerate() {
                    let mut random = Random::new((i as u64) << 8 | class as u64);
                    let Some(sample) = damage::apply(class, text, &mut random) else { continue };
                    if options.show == 999 {
                        dump(code, class, length, &sample);
                        continue;
                    }
                    let judgement = judge(&sample, &Known::default());
                    count(&mut tally, &judgement);
                    let right = judgement.wrong.is_empty() == (class == Class::Clean)
                        && !(class == Class::Permutation
                            && judgement.wrong.iter().any(|w| format!("{:?}", w.code) == "GlyphCodeShift"));
                    if !right && shown < options.show {
                        shown += 1;
                        show(&sample, &judgement);
                    }
                }
                let micros = started.elapsed().as_micros() as f64 / tally.n.max(1) as f64;
                let total = totals.entry((length, class.name())).or_default();
                total.n += tally.n;
                total.caught += tally.caught;
                total.unjudged += tally.unjudged;
                print(code, class.name(), length, &tally, micros);
            }
        }
    }
    for ((length, class), tally) in &totals {
        print("all", class, *length, tally, 0.0);
    }
}

fn count(tally: &mut Tally, judgement: &Judgement) {
    tally.n += 1;
    if let Some(wrong) = judgement.wrong.first() {
        tally.caught += 1;
        *tally.by_reason.entry(format!("{:?}", wrong.code)).or_default() += 1;
    } else if !judgement.judged {
        tally.unjudged += 1;
    }
}

fn print(code: &str, class: &str, length: usize, tally: &Tally, micros: f64) {
    if tally.n == 0 {
        return;
    }
    let percent = |k: usize| 100.0 * k as f64 / tally.n as f64;
    let trusted = tally.n - tally.caught - tally.unjudged;
    let (low, high) = interval(tally.caught, tally.n);
    let (t_low, t_high) = interval(trusted, tally.n);
    let reasons: Vec<String> = tally.by_reason.iter().map(|(r, n)| format!("{r} {n}")).collect();
    println!(
        "{code:4} {class:12} {length:5} {:6} {:7.2} [{low:6.2}, {high:6.2}] {:6.2} {:6.2} [{t_low:5.2}, {t_high:5.2}] {micros:8.0} {}",
        tally.n,
        percent(tally.caught),
        percent(tally.unjudged),
        percent(trusted),
        reasons.join(", ")
    );
}

fn show(sample: &Sample, judgement: &Judgement) {
    let text: String = sample.chars.iter().collect();
    let fit = judgement.fit.map(|f| {
        format!("{} {:.2}/{:.2} pooled {:.2}/{:.2}", f.code, f.bits, f.bound, f.pooled_bits, f.pooled_bound)
    });
    println!(
        "  -- {:?} judged {} {:?}",
        fit,
        judgement.judged,
        judgement.wrong.iter().map(|w| &w.detail).collect::<Vec<_>>()
    );
    println!("     {}", text.replace('\n', " / "));
}

fn dump(code: &str, class: Class, length: usize, sample: &Sample) {
    use pagesieve::score::signals::letters::{fit::fit_words, model::Models, partial::CodedWords};
    let words = Words::read(sample.chars.iter().copied());
    let Some(fit) = fit_words(&words, None) else { return };
    let Some(models) = Models::get().script(fit.script).filter(|_| fit.language != usize::MAX) else {
        return;
    };
    let language = models.language(fit.language);
    let prose = &words.prose[fit.script as usize];
    let coded = CodedWords::new(language, &prose.symbols, |i| sample.codes[prose.at[i] as usize]);
    let best = coded.readings(language).into_iter().next();
    let pair = best.map_or(String::new(), |b| {
        let wanted = language.letters.get(usize::from(b.wanted).wrapping_sub(2)).copied().unwrap_or('?');
        format!("{}>{wanted}", char::from_u32(b.code).unwrap_or('?'))
    });
    let (gain, uses, share) = best.map_or((0.0, 0, 0.0), |b| (b.gain_bits, b.uses, b.better_share));
    let excess = best.map_or(0.0, |b| b.excess_bits);
    println!(
        "D {code} {} {length} {} {:.2} {:.2} {:.2} {:.2} {gain:.1} {uses} {share:.2} {excess:.2} {pair}",
        class.name(),
        fit.code,
        fit.bits,
        fit.bound,
        fit.pooled_bits,
        fit.pooled_bound
    );
}
