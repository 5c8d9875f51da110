//! How far a share can be trusted.

/// 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % Wilson score interval of a share seen on `n` independent units (Wilson 1927; Brown, Cai and DasGupta 2001).
///
/// Pages of a document are not independent: `n` counts documents, `share` may be one of pages. Without any unit
/// nothing is known: 0.0 to 1.0.
pub fn wilson(share: f64, n: u64) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (n as f64, share.clamp(0.0, 1.0));
    let z2 = Z * Z;
    let centre = share + z2 / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // Rounding must not put the share outside of its own interval.
    (((centre - spread) / scale).clamp(0.0, share), ((centre + spread) / scale).clamp(share, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_intervals() {
        let close = |got: (f64, f64), low: f64, high: f64| {
            assert!((got.0 - low).abs() < 5e-5 && (got.1 - high).abs() < 5e-5, "{got:?}");
        };
        close(wilson(0.5, 10), 0.2366, 0.7634);
        close(wilson(0.0, 10), 0.0, 0.2775);
        close(wilson(1.0, 10), 0.7225, 1.0);
        close(wilson(81.0 / 263.0, 263), 0.2553, 0.3662); // Newcombe 1998, table I
        close(wilson(0.3, 0), 0.0, 1.0);
    }

    #[test]
    fn the_interval_holds_the_share_and_narrows() {
        for n in [1, 3, 30, 3_000] {
            for share in [0.0, 0.02, 0.5, 1.0] {
                let ((low, high), (low4, high4)) = (wilson(share, n), wilson(share, 4 * n));
                assert!(low <= share && share <= high && high4 - low4 < high - low);
            }
        }
    }
}
