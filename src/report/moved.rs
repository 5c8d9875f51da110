//! Producers whose flagged share moved most since the job before.

use super::answer::{Answer, Kind, Value};
use super::producers::{Tally, families};
use super::{ReportError, Results};

/// Producer families whose flagged share differs from the job before, the least accidental first: ranked by the difference in
/// standard errors (two proportions, over documents, because pages of a document are not independent). A family that was not
/// there before is compared with the whole corpus as it was then. Empty without a job before.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn moved(results: &Results) -> Result<Answer, ReportError> {
    let columns = [
        ("producer_family", Kind::Text),
        ("documents", Kind::Count),
        ("documents_before", Kind::Count),
        ("pages_flagged", Kind::Count),
        ("flagged_share", Kind::Share),
        ("flagged_share_before", Kind::Share),
        ("share_moved", Kind::Points),
    ];
    let mut answer = Answer::new("moved", &columns);
    let Some(previous) = results.previous() else {
        answer.notes.push("there is no job before this one".to_owned());
        return Ok(answer);
    };
    let before = families(&previous)?;
    let mut all = Tally::default();
    before.values().for_each(|tally| all.add(*tally));
    let mut rows = Vec::new();
    for (family, now) in families(results)? {
        let then = before.get(&family).copied();
        let errors = standard_errors(now, then.unwrap_or(all));
        if errors != 0.0 {
            rows.push((errors, family, now, then));
        }
    }
    rows.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then_with(|| a.1.cmp(&b.1)));
    for (_, family, now, then) in rows {
        let share = then.unwrap_or(all).share();
        answer.rows.push(vec![
            Value::text(family),
            Value::count(now.documents),
            Value::count(then.map_or(0, |then| then.documents)),
            Value::count(now.pages_flagged),
            Value::number(now.share()),
            then.map_or(Value::None, |then| Value::number(then.share())),
            Value::number(100.0 * (now.share() - share)),
        ]);
    }
    answer.notes.push(format!("job {} against job {}", results.manifest().job, previous.manifest().job));
    Ok(answer)
}

/// The difference of two shares, in standard errors under the assumption that there is none.
fn standard_errors(now: Tally, then: Tally) -> f64 {
    let (n_now, n_then) = (now.documents as f64, then.documents as f64);
    let pooled = (now.share() * n_now + then.share() * n_then) / (n_now + n_then);
    let error = (pooled * (1.0 - pooled) * (1.0 / n_now + 1.0 / n_then)).sqrt();
    if error > 0.0 { (now.share() - then.share()) / error } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(documents: u64, pages: u64, pages_flagged: u64) -> Tally {
        Tally { documents, documents_flagged: pages_flagged.min(documents), pages, pages_flagged }
    }

    #[test]
    fn many_documents_say_more_than_one() {
        let many = standard_errors(tally(500, 5000, 1000), tally(500, 5000, 500));
        let one = standard_errors(tally(1, 10, 10), tally(1, 10, 0));
        assert!(many > 4.0 && one > 0.0 && many > one, "{many} {one}");
        // Two proportions by hand: pooled 0.15, error 0.02258, difference 0.1.
        assert!((many - 4.428).abs() < 1e-3, "{many}");
        assert_eq!(standard_errors(tally(5, 50, 0), tally(7, 70, 0)), 0.0);
        assert!(standard_errors(tally(50, 50, 0), tally(50, 50, 50)) < -9.0);
    }
}
