//! The report's charts.

use super::chart::{Anchor, BAD, FAINT, FAIR, GOOD, GRID, INK, figure};
use super::{Dot, Night};
use crate::telemetry::grouped;

/// Height of a row, in pixels.
const ROW: i32 = 26;

/// A bar with its name and number.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) pages: u64,
    pub(super) flagged: bool,
}

fn length(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(0) * ROW
}

/// Names take a third, on narrow screens a little more.
fn name_width(width: i32) -> i32 {
    if width < 500 { 128 } else { 250 }
}

fn fitted(name: &str, width: i32) -> String {
    let most = usize::try_from(name_width(width) / 8).unwrap_or(12);
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

/// Horizontal bars, each with its number behind it.
pub(super) fn bars(label: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.pages).max().unwrap_or(0).max(1);
    figure(
        label,
        |_| length(bars.len()) + 8,
        |chart, width, _| {
            let left = name_width(width);
            let room = f64::from(width - left - 76);
            for (row, bar) in bars.iter().enumerate() {
                let y = length(row) + ROW / 2 + 4;
                chart.text(&fitted(&bar.name, width), (left - 10, y), Anchor::End, INK)?;
                let mut end = left + (room * bar.pages as f64 / most as f64).round() as i32;
                if bar.pages > 0 {
                    end = end.max(left + 2);
                }
                chart.bar((left, y - 8), (end, y + 8), if bar.flagged { BAD } else { GOOD })?;
                chart.text(&grouped(bar.pages), (end + 8, y), Anchor::Start, FAINT)?;
            }
            Ok(())
        },
    )
}

/// Producers: the flagged share as a dot, its interval as a line, the corpus rate as a rule.
pub(super) fn dots(label: &str, dots: &[Dot], rate: f64) -> String {
    let most = dots.iter().map(|dot| dot.pages).max().unwrap_or(0).max(1);
    figure(
        label,
        |_| length(dots.len()) + 40,
        |chart, width, height| {
            let left = name_width(width);
            let room = f64::from(width - left - 24);
            let x = |share: f64| left + (room * share).round() as i32;
            let bottom = height - 32;
            for tenth in [0, 25, 50, 75, 100] {
                let at = x(f64::from(tenth) / 100.0);
                chart.line(vec![(at, 0), (at, bottom)], GRID, 1)?;
                if width > 500 || tenth % 50 == 0 {
                    chart.text(&format!("{tenth} %"), (at, bottom + 16), Anchor::Middle, FAINT)?;
                }
            }
            chart.line(vec![(x(rate), 0), (x(rate), bottom)], FAIR, 2)?;
            for (row, dot) in dots.iter().enumerate() {
                let y = length(row) + ROW / 2;
                chart.text(&fitted(&dot.name, width), (left - 10, y), Anchor::End, INK)?;
                chart.line(vec![(x(dot.low), y), (x(dot.high), y)], FAINT, 2)?;
                let radius = 3 + (5.0 * (dot.pages as f64 / most as f64).sqrt()).round() as i32;
                chart.dot((x(dot.share), y), radius, if dot.low > rate { BAD } else { GOOD })?;
            }
            Ok(())
        },
    )
}

/// Producers by fonts: area is pages, colour is whether most, some or none of them are flagged.
pub(super) fn map(
    label: &str,
    producers: &[String],
    fonts: &[String],
    cells: &[(usize, usize, u64, f64)],
) -> String {
    let most = cells.iter().map(|cell| cell.2).max().unwrap_or(0).max(1);
    let header = 104;
    figure(
        label,
        |_| length(fonts.len()) + header + 8,
        |chart, width, _| {
            let left = name_width(width);
            let columns = producers.len().max(1);
            let step = (width - left - 10) / i32::try_from(columns).unwrap_or(1);
            for (column, producer) in producers.iter().enumerate() {
                // Names on three heights, so that neighbours do not touch.
                let at = left + step * i32::try_from(column).unwrap_or(0) + step / 2;
                let y = 12 + 18 * i32::try_from(column % 5).unwrap_or(0);
                chart.line(vec![(at, y + 9), (at, header - 4)], GRID, 1)?;
                let most = if width < 500 { 9 } else { 22 };
                let short: String = if producer.chars().count() > most {
                    producer.chars().take(most - 1).chain(['…']).collect()
                } else {
                    producer.clone()
                };
                let anchor = if 2 * column < columns { Anchor::Start } else { Anchor::End };
                let shift = if 2 * column < columns { -6 } else { 6 };
                chart.text(&short, (at + shift, y), anchor, INK)?;
            }
            for (row, font) in fonts.iter().enumerate() {
                let y = header + length(row) + ROW / 2;
                chart.text(&fitted(font, width), (left - 10, y), Anchor::End, INK)?;
                chart.line(vec![(left, y), (width - 10, y)], GRID, 1)?;
            }
            for &(column, row, pages, share) in cells {
                let at = (
                    left + step * i32::try_from(column).unwrap_or(0) + step / 2,
                    header + length(row) + ROW / 2,
                );
                let radius =
                    2 + (f64::from((step / 2).min(ROW / 2) - 3) * (pages as f64 / most as f64).sqrt()) as i32;
                let colour = match share {
                    s if s >= 0.5 => BAD,
                    s if s > 0.0 => FAIR,
                    _ => GOOD,
                };
                chart.dot(at, radius.max(2), colour)?;
            }
            Ok(())
        },
    )
}

/// The flagged share of each job, oldest first.
pub(super) fn time_line(label: &str, nights: &[Night]) -> String {
    figure(
        label,
        |width| if width < 500 { 180 } else { 220 },
        |chart, width, height| {
            let (left, bottom) = (52, height - 34);
            let top = nights.iter().map(|night| night.share).fold(0.0, f64::max).max(0.01);
            let steps = nights.len().saturating_sub(1).max(1);
            let room = f64::from(width - left - 40);
            let at = |index: usize, share: f64| {
                let x = left + 10 + (room * index as f64 / steps as f64).round() as i32;
                (x, bottom - (f64::from(bottom - 20) * share / top).round() as i32)
            };
            for share in [0.0, top / 2.0, top] {
                let (_, y) = at(0, share);
                chart.line(vec![(left, y), (width - 16, y)], GRID, 1)?;
                chart.text(&format!("{:.1} %", 100.0 * share), (left - 6, y), Anchor::End, FAINT)?;
            }
            let points: Vec<(i32, i32)> =
                nights.iter().enumerate().map(|(n, night)| at(n, night.share)).collect();
            if points.len() > 1 {
                chart.line(points.clone(), BAD, 2)?;
            }
            points.iter().try_for_each(|point| chart.dot(*point, 4, BAD))?;
            if let Some(first) = nights.first() {
                chart.text(&first.day, (at(0, 0.0).0, bottom + 18), Anchor::Start, FAINT)?;
            }
            if let [_, .., last] = nights {
                chart.text(&last.day, (at(nights.len() - 1, 0.0).0, bottom + 18), Anchor::End, FAINT)?;
            }
            Ok(())
        },
    )
}
