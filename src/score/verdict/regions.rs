//! Where on the page: boxes of lines, joined where they touch.

/// Joins boxes that overlap or lie within half a line of each other, top to bottom; clips them to the page.
pub(super) fn merge(boxes: impl Iterator<Item = [f32; 4]>, size: [f32; 2]) -> Vec<[f32; 4]> {
    let mut boxes: Vec<[f32; 4]> = boxes
        .filter(|b| b.iter().all(|v| v.is_finite()))
        .map(|[x0, y0, x1, y1]| {
            let clip = |v: f32, max: f32| v.clamp(0.0, max.max(0.0));
            [clip(x0, size[0]), clip(y0, size[1]), clip(x1, size[0]), clip(y1, size[1])]
        })
        .filter(|[x0, y0, x1, y1]| x1 > x0 && y1 > y0)
        .collect();
    boxes.sort_by(|a, b| b[3].total_cmp(&a[3]).then(a[0].total_cmp(&b[0])));
    let mut merged: Vec<[f32; 4]> = Vec::new();
    for candidate in boxes {
        match merged.iter_mut().rev().take(8).find(|other| near(other, &candidate)) {
            Some(other) => {
                *other = [
                    other[0].min(candidate[0]),
                    other[1].min(candidate[1]),
                    other[2].max(candidate[2]),
                    other[3].max(candidate[3]),
                ];
            }
            None => merged.push(candidate),
        }
    }
    merged
}

fn near(a: &[f32; 4], b: &[f32; 4]) -> bool {
    let slack = 0.5 * (a[3] - a[1]).min(b[3] - b[1]);
    a[0] <= b[2] + slack && b[0] <= a[2] + slack && a[1] <= b[3] + slack && b[1] <= a[3] + slack
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn lines_of_one_paragraph_become_one_region_and_a_far_footer_its_own() {
        let lines = [[72.0, 700.0, 500.0, 712.0], [72.0, 686.0, 480.0, 698.0], [72.0, 40.0, 200.0, 52.0]];
        let merged = merge(lines.into_iter(), [612.0, 792.0]);
        assert_eq!(merged, vec![[72.0, 686.0, 500.0, 712.0], [72.0, 40.0, 200.0, 52.0]]);
    }

    #[test]
    fn boxes_off_the_page_and_not_finite_are_dropped() {
        let boxes = [[-50.0, -50.0, -10.0, -10.0], [f32::NAN, 0.0, 1.0, 1.0], [600.0, 10.0, 700.0, 20.0]];
        assert_eq!(merge(boxes.into_iter(), [612.0, 792.0]), vec![[600.0, 10.0, 612.0, 20.0]]);
    }
}
