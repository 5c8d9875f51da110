//! What counts as visible (X2, X3), each fault beside its healthy twin.

use super::*;

#[test]
fn ordinary_text_is_visible() {
    assert_eq!(glyphs(&page(|page| page.show("Hello you"))), [8, 0, 0]); // the space leaves no mark
}

#[test]
fn render_mode_3_is_an_invisible_layer() {
    let seen = page(|page| page.render_mode(3).show("Hello"));
    assert_eq!(glyphs(&seen), [0, 5, 0]);
    assert!(seen.runs[0].invisible);
    assert_eq!(text(&seen), "|Hello");
    assert!(seen.fonts[0].codes.is_empty());
}

#[test]
fn render_mode_7_shows_where_something_is_painted_through_it() {
    let clip_only = |page: PageBuilder| page.op("q").render_mode(7).show("Hello");
    assert_eq!(glyphs(&page(|page| clip_only(page).op("Q 0 0 612 792 re f"))), [0, 5, 0]);
    assert_eq!(glyphs(&page(|page| clip_only(page).op("0 0 612 792 re f Q"))), [5, 0, 0]);
    let image = |page: PageBuilder| page.image(Image::grey(8, 8), [0.0, 0.0, 612.0, 792.0]).op("Q");
    let seen = page(|page| image(clip_only(page)));
    assert_eq!(glyphs(&seen), [5, 0, 0]);
    assert_eq!(seen.evidence.images.n_images, 0); // only letters are seen of it
}

#[test]
fn white_text_needs_something_under_it() {
    let white = |page: PageBuilder| page.colour(1.0, 1.0, 1.0).show("Hello");
    assert_eq!(glyphs(&page(white)), [0, 0, 5]);
    assert_eq!(glyphs(&page(|page| white(page.op("0 0 0.5 rg 60 700 200 40 re f")))), [5, 0, 0]);
    assert_eq!(glyphs(&page(|page| white(page.op("0 0 0.5 rg 60 100 200 40 re f")))), [0, 0, 5]);
    // Painted over with white again.
    let repainted = "0 0 0.5 rg 60 700 200 40 re f 1 g 0 600 612 192 re f";
    assert_eq!(glyphs(&page(|page| white(page.op(repainted)))), [0, 0, 5]);
    let image = |page: PageBuilder| page.image(Image::grey(8, 8), [0.0, 600.0, 612.0, 792.0]);
    assert_eq!(glyphs(&page(|page| white(image(page)))), [5, 0, 0]);
    assert_eq!(glyphs(&page(|page| page.op("0 0 0 0 k").show("Hello"))), [0, 0, 5]);
    assert_eq!(glyphs(&page(|page| page.op("/DeviceRGB cs 1 1 1 sc").show("Hello"))), [0, 0, 5]);
}

#[test]
fn white_in_a_space_without_ink_is_white() {
    let spaces =
        "/ColorSpace << /Spot [/Separation /Gold /DeviceCMYK 9 0 R] /Look [/Indexed /DeviceRGB 1 <00FF>] >>";
    let in_space = |ops: &'static str| page(move |page| page.resource_entries(spaces).op(ops).show("Hello"));
    assert_eq!(glyphs(&in_space("/Spot cs 0 scn")), [0, 0, 5]);
    assert_eq!(glyphs(&in_space("/Spot cs 1 scn")), [5, 0, 0]);
    assert_eq!(glyphs(&in_space("/Look cs 0 scn")), [5, 0, 0]); // unsure: visible
}

#[test]
fn white_text_under_a_later_image_is_an_ocr_layer() {
    let white = |page: PageBuilder| page.colour(1.0, 1.0, 1.0).show("Hello");
    let seen = page(|page| white(page).image(Image::grey(8, 8), [0.0, 0.0, 612.0, 792.0]));
    assert_eq!(glyphs(&seen), [0, 5, 0]);
    assert_eq!(seen.evidence.images.invisible_over, 5);
}

#[test]
fn text_under_a_later_image_is_an_ocr_layer() {
    let over = |page: PageBuilder| page.image(Image::grey(8, 8), [0.0, 0.0, 612.0, 792.0]);
    let seen = page(|page| over(page.show("Hello")));
    assert_eq!(glyphs(&seen), [0, 5, 0]);
    assert!(seen.runs[0].invisible && seen.fonts[0].codes.is_empty());
    // Drawn afterwards it is seen, and so is text under an image that can be seen through.
    assert_eq!(glyphs(&page(|page| over(page).show("Hello"))), [5, 0, 0]);
    let states = "/ExtGState << /Half << /ca 0.5 >> /Multiply << /BM /Multiply >> >>";
    for state in ["/Half gs", "/Multiply gs"] {
        let seen = page(|page| over(page.resource_entries(states).show("Hello").op(state)));
        assert_eq!(glyphs(&seen), [5, 0, 0], "{state}");
    }
}

#[test]
fn text_under_a_later_fill_is_hidden() {
    let covered =
        |fill: &'static str| page(move |page| page.show("Hello").at(72.0, 300.0).show("World").op(fill));
    let seen = covered("1 g 60 700 300 60 re f");
    assert_eq!(glyphs(&seen), [5, 0, 5]);
    assert_eq!(text(&seen), "|World");
    for transparent in ["60 700 300 60 re S", "60 720 300 1 re f", "60 700 m 360 760 l 360 700 l f"] {
        assert_eq!(glyphs(&covered(transparent)), [10, 0, 0], "{transparent}");
    }
}

#[test]
fn an_l_shaped_fill_covers_nothing_by_its_bounds() {
    let frame = "393 79 m 394 79 l 394 9 l 65 9 l 65 11 l 393 11 l f*";
    assert_eq!(glyphs(&page(|page| page.at(100.0, 40.0).show("Hello").op(frame))), [5, 0, 0]);
}

#[test]
fn text_outside_clip_or_page_is_hidden() {
    assert_eq!(glyphs(&page(|page| page.at(-300.0, 100.0).show("Hello"))), [0, 0, 5]);
    let cropped = |page: PageBuilder| {
        page.crop_box([0.0, 0.0, 612.0, 400.0]).show("Hello").at(72.0, 50.0).show("World")
    };
    assert_eq!(glyphs(&page(cropped)), [5, 0, 5]);
    assert_eq!(glyphs(&page(|page| page.op("0 0 50 50 re W n").show("Hello"))), [0, 0, 5]);
    assert_eq!(glyphs(&page(|page| page.op("q 0 0 50 50 re W n Q").show("Hello"))), [5, 0, 0]);
    assert_eq!(glyphs(&page(|page| page.op("0 700 612 92 re W* n").show("Hello"))), [5, 0, 0]);
    assert_eq!(glyphs(&page(|page| page.op("W n").show("Hello"))), [5, 0, 0]); // no path to clip to
}

#[test]
fn only_the_part_of_a_line_within_the_clip_is_visible() {
    let seen = page(|page| page.op("0 0 100 792 re W n").show("HHHHHHHH"));
    let [visible, _, hidden] = glyphs(&seen);
    assert_eq!((visible, hidden), (3, 5)); // 8.66 points each from 72
    assert_eq!(text(&seen), "|HHH");
}

#[test]
fn text_of_one_point_is_hidden() {
    assert_eq!(glyphs(&page(|page| page.size(1.0).show("Hello"))), [0, 0, 5]);
    assert_eq!(
        glyphs(&page(|page| page.op("0.05 0 0 0.05 72 700 cm").size(12.0).at(0.0, 0.0).show("Hello"))),
        [0, 0, 5]
    );
    assert_eq!(
        glyphs(&page(|page| page.op("12 0 0 12 72 700 cm").size(1.0).at(0.0, 0.0).show("Hello"))),
        [5, 0, 0]
    );
}

#[test]
fn transparent_text_is_hidden() {
    let states = "/ExtGState << /Clear << /ca 0 >> /Edge << /CA 0 >> >>";
    let with = |state: &'static str| page(move |page| page.resource_entries(states).op(state).show("Hello"));
    assert_eq!(glyphs(&with("/Clear gs")), [0, 0, 5]);
    assert_eq!(glyphs(&with("/Edge gs")), [5, 0, 0]);
    assert_eq!(glyphs(&with("/Clear gs 1 Tr")), [5, 0, 0]); // stroked
    assert_eq!(glyphs(&with("/Edge gs 1 Tr")), [0, 0, 5]);
    assert_eq!(glyphs(&with("q /Clear gs Q")), [5, 0, 0]);
}

#[test]
fn a_transparent_group_hides_what_it_holds() {
    let clear = "/ExtGState << /Clear << /ca 0 >> >>";
    let group = |entries: &'static str| {
        page(move |page| {
            page.resource_entries(clear)
                .op("/Clear gs")
                .form_with(entries, |form| form.font(helvetica()).show("Hello"))
        })
    };
    assert_eq!(glyphs(&group("/Group << /S /Transparency >>")), [0, 0, 5]);
    assert_eq!(glyphs(&group("")), [0, 0, 5]);
}

#[test]
fn layers_that_are_off_are_hidden() {
    assert_eq!(glyphs(&page(|page| page.layer(false, |page| page.show("Hello")).show("World"))), [5, 0, 5]);
    assert_eq!(glyphs(&page(|page| page.layer(true, |page| page.show("Hello")).show("World"))), [10, 0, 0]);
    let image = |visible: bool| {
        page(move |page| page.layer(visible, |page| page.image(Image::grey(8, 8), [0.0, 0.0, 612.0, 792.0])))
    };
    assert_eq!(image(false).evidence.images.n_images, 0);
    assert_eq!(image(true).evidence.images.n_images, 1);
}
