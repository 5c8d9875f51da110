//! Charts as SVG, drawn by plotters in colours that the style sheet replaces: light and dark are the reader's choice.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::words::clean;

/// Colours the style sheet knows; nothing else is drawn.
pub(super) const INK: RGBColor = RGBColor(1, 1, 1);
pub(super) const FAINT: RGBColor = RGBColor(2, 2, 2);
pub(super) const GRID: RGBColor = RGBColor(3, 3, 3);
pub(super) const GOOD: RGBColor = RGBColor(4, 4, 4);
pub(super) const BAD: RGBColor = RGBColor(5, 5, 5);
pub(super) const FAIR: RGBColor = RGBColor(6, 6, 6);

/// Size of text, in pixels.
const TEXT: i32 = 13;

/// A drawing in pixels, origin upper left.
pub(super) struct Chart<'s> {
    area: DrawingArea<SVGBackend<'s>, plotters::coord::Shift>,
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Where a text stands against its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Chart<'_> {
    pub(super) fn text(&self, text: &str, at: (i32, i32), anchor: Anchor, colour: RGBColor) -> Drawn {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", TEXT).into_font())
            .color(&colour)
            .pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(clean(text, 120), at, style))
    }

    pub(super) fn bar(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
        self.area.draw(&Rectangle::new([from, to], colour.filled()))
    }

    pub(super) fn line(&self, points: Vec<(i32, i32)>, colour: RGBColor, width: u32) -> Drawn {
        self.area.draw(&PathElement::new(points, colour.stroke_width(width)))
    }

    pub(super) fn dot(&self, at: (i32, i32), radius: i32, colour: RGBColor) -> Drawn {
        self.area.draw(&Circle::new(at, radius, colour.filled()))
    }
}

/// Draws one chart for wide and one for narrow screens; the style sheet shows the one that fits. `label` is what a screen reader
/// says; the numbers stand in a table beside it.
pub(super) fn figure(
    label: &str,
    height: impl Fn(i32) -> i32,
    draw: impl Fn(&Chart<'_>, i32, i32) -> Drawn,
) -> String {
    let mut html = String::new();
    for (class, width) in [("wide", 860), ("narrow", 340)] {
        let height = height(width);
        let svg = svg(width, height, &draw);
        // The picture says nothing that the label and the table do not.
        let svg = svg.replacen(
            "<svg ",
            &format!("<svg class=\"chart {class}\" role=\"img\" aria-label=\"{}\" ", super::escape(label)),
            1,
        );
        html.push_str(&svg);
    }
    html
}

fn svg(width: i32, height: i32, draw: &impl Fn(&Chart<'_>, i32, i32) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let size = (u32::try_from(width).unwrap_or(1), u32::try_from(height).unwrap_or(1));
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let chart = Chart { area };
        draw(&chart, width, height)
            .and_then(|()| chart.area.present())
            .expect("drawing into a string cannot fail");
    }
    svg
}
