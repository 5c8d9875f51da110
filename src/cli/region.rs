//! `--region x0,y0,x1,y1`.

use crate::score::Rect;

/// Reads four numbers that span an area; the corners may come in any order.
pub(super) fn parse(text: &str) -> Result<Rect, String> {
    let wanted = "four numbers are wanted, x0,y0,x1,y1, in points from the lower left corner";
    let numbers: Vec<f32> = text
        .split(',')
        .map(|number| number.trim().parse().map_err(|_| wanted.to_owned()))
        .collect::<Result<_, _>>()?;
    let &[x0, y0, x1, y1] = numbers.as_slice() else { return Err(wanted.to_owned()) };
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(wanted.to_owned());
    }
    if x0 == x1 || y0 == y1 {
        return Err("the box has no area".to_owned());
    }
    Ok([x0.min(x1), y0.min(y1), x0.max(x1), y0.max(y1)])
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn corners_may_come_in_any_order() {
        assert_eq!(parse("72, 700,540,60.5"), Ok([72.0, 60.5, 540.0, 700.0]));
        assert_eq!(parse("-5,-5,10,10"), Ok([-5.0, -5.0, 10.0, 10.0]));
    }

    #[test]
    fn what_spans_no_area_is_refused() {
        for text in ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "1,2,1,4", "1,2,3,2", "nan,0,1,1", "inf,0,1,1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
