//! Reasons as sentences.

/// What a reason says of a page, for somebody who has not read the documentation. `font` names the font, where one is meant.
pub(super) fn sentence(code: &str, font: Option<&str>) -> String {
    let font = font.map_or_else(|| "a font".to_owned(), |font| format!("the font {font}"));
    match code {
        "undecodable_font" => format!("Nothing in the file says which letters the codes of {font} are."),
        "unmapped_glyphs" => format!("Some drawn glyphs of {font} have no letter."),
        "letter_substitution" => format!("The letters of {font} read as no language: they stand for others."),
        "partial_substitution" => format!("Some letters of {font} stand for others."),
        "contradicted_unicode" => {
            format!("The file says letters for {font} that its own outlines or names deny.")
        }
        "non_injective_unicode" => format!("Different glyphs of {font} are said to be the same letter."),
        "identity_unicode_on_glyphs" => format!("Glyph numbers of {font} are passed off as letters."),
        "legacy_encoding" => format!("Latin codes of {font} draw another script."),
        "glyph_code_shift" => format!("The codes of {font} are letters, moved by a constant."),
        "known_glyph_order" => format!("The letters of {font} follow from a known order of glyphs."),
        "glyph_names" => format!("The letters of {font} follow from the names of its glyphs."),
        "scanned" => "The page is an image without a text layer.".to_owned(),
        "scan_with_overlay" => {
            "An image covers the page; the text on top is not what the image shows.".to_owned()
        }
        "untrusted_ocr_layer" => {
            "The invisible OCR layer does not read as the language of the page.".to_owned()
        }
        "outlined_text" => "Text is drawn as outlines; no code says which letters they are.".to_owned(),
        "partial_coverage" => "Part of the page is an image whose text the layer lacks.".to_owned(),
        "private_use" => format!("Letters of {font} are private characters without a meaning elsewhere."),
        "replacement_characters" => {
            "The text holds replacement characters where letters were lost.".to_owned()
        }
        "control_characters" => format!("Glyphs of {font} are mapped to control characters."),
        "page_error" => "The page could not be measured; the limit or crash stands in the detail.".to_owned(),
        other => format!("{}.", other.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_the_font_and_unknown_codes_are_words() {
        assert!(sentence("undecodable_font", Some("4 0 R")).contains("the font 4 0 R"));
        assert_eq!(sentence("lost_word_boundaries", None), "lost word boundaries.");
    }
}
