//! The code vectors of TeX's classic fonts, known by the name of the font family (rows S7, T3).

/// A code vector of TeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TexEncoding {
    /// Text (cmr10).
    Ot1,
    /// Typewriter (cmtt10).
    Ot1Typewriter,
    /// Mathematical letters (cmmi10).
    Oml,
    /// Mathematical symbols (cmsy10).
    Oms,
    /// Cork (ecrm1000).
    T1,
}

impl TexEncoding {
    /// The vector of a font family, by TeX's names: letters of the family, then the design size.
    pub(super) fn of_family(family: &str) -> Option<Self> {
        let lower = family.to_ascii_lowercase();
        let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        if stem.len() == lower.len() {
            return None; // without a design size the name may be anybody's
        }
        Some(match stem {
            "cmr" | "cmb" | "cmbx" | "cmbxti" | "cmbxsl" | "cmdunh" | "cmff" | "cmfi" | "cmfib" | "cmss"
            | "cmssbx" | "cmssdc" | "cmssi" | "cmssq" | "cmssqi" | "cmti" | "cmsl" | "cmu" | "cmvtt"
            | "cmcsc" | "lcmss" | "lcmssb" | "lcmssi" => Self::Ot1,
            "cmtt" | "cmsltt" | "cmitt" | "cmtcsc" => Self::Ot1Typewriter,
            "cmmi" | "cmmib" => Self::Oml,
            "cmsy" | "cmbsy" => Self::Oms,
            "ecrm" | "ecbx" | "ecti" | "ecbi" | "ecsl" | "ecbl" | "ectt" | "ecss" | "eccc" | "ecsx"
            | "ecsi" | "ecit" | "ecxc" | "ecrb" | "ecst" | "ecvi" | "ecvt" | "sfrm" | "sfbx" | "sfti"
            | "sftt" | "sfss" | "sfcc" => Self::T1,
            _ => return None,
        })
    }

    /// The character of a code.
    pub(super) fn char(self, code: u32) -> Option<char> {
        let c = match self {
            Self::T1 if code >= 0x80 => T1_UPPER.chars().nth(code as usize - 0x80)?,
            _ if code >= 0x80 => return None,
            Self::Ot1 => OT1.chars().nth(code as usize)?,
            Self::Ot1Typewriter => OT1_TYPEWRITER.chars().nth(code as usize)?,
            Self::Oml => OML.chars().nth(code as usize)?,
            Self::Oms => OMS.chars().nth(code as usize)?,
            Self::T1 => T1_LOWER.chars().nth(code as usize)?,
        };
        (c != '\u{FFFD}').then_some(c)
    }

    /// The character of a code of the TrueType versions, which move the codes that Windows cannot use (0–32, 127)
    /// to A1–AA, AD–C3 and C4.
    pub(super) fn char_of_truetype(self, code: u32) -> Option<char> {
        self.char(match code {
            0xA1..=0xAA => code - 0xA1,
            0xAD..=0xC3 => code - 0xAD + 10,
            0xC4 => 127,
            code => code,
        })
    }
}

// One character per code; U+FFFD where the code is a piece of a glyph or empty.
const OT1: &str = concat!(
    "ΓΔΘΛΞΠΣΥΦΨΩ\u{FB00}\u{FB01}\u{FB02}\u{FB03}\u{FB04}ı\u{237}`´ˇ˘¯˚¸ßæœøÆŒØ",
    "\u{335}!”#$%&’()*+,-./0123456789:;¡=¿?",
    "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[“]ˆ˙‘abcdefghijklmnopqrstuvwxyz–—˝˜¨"
);
const OT1_TYPEWRITER: &str = concat!(
    "ΓΔΘΛΞΠΣΥΦΨΩ↑↓'¡¿ı\u{237}`´ˇ˘¯˚¸ßæœøÆŒØ",
    "␣!\"#$%&’()*+,-./0123456789:;<=>?",
    "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~¨"
);
const OML: &str = concat!(
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ",
    "ψωεϑϖϱςφ↼↽⇀⇁\u{FFFD}\u{FFFD}▹◃0123456789.,</>⋆",
    "∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢ℓabcdefghijklmnopqrstuvwxyzı\u{237}℘\u{20D7}\u{361}"
);
const OMS: &str = concat!(
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯∘•≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻",
    "←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽\u{338}\u{FFFD}∀∃¬∅ℜℑ⊤⊥",
    "ℵABCDEFGHIJKLMNOPQRSTUVWXYZ∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♦♥♠"
);
const T1_LOWER: &str = concat!(
    "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—\u{200C}₀ı\u{237}\u{FB00}\u{FB01}\u{FB02}\u{FB03}\u{FB04}",
    "␣!\"#$%&’()*+,-./0123456789:;<=>?",
    "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~-"
);
const T1_UPPER: &str = concat!(
    "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£",
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞ\u{1E9E}àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_their_length() {
        for vector in [OT1, OT1_TYPEWRITER, OML, OMS, T1_LOWER, T1_UPPER] {
            assert_eq!(vector.chars().count(), 128, "{vector}");
        }
    }

    #[test]
    fn s7_codes_of_known_tex_families() {
        for (family, code, c) in [
            ("CMR10", 12, '\u{FB01}'),
            ("cmr10", 92, '“'),
            ("CMTT10", 92, '\\'),
            ("CMMI10", 11, 'α'),
            ("CMMI7", 59, ','),
            ("CMSY10", 0, '−'),
            ("CMSY10", 50, '∈'),
            ("ECRM1000", 0xE9, 'é'),
            ("SFRM1000", 0xDF, '\u{1E9E}'),
            ("ecrm1000", 0x8A, 'Ł'),
        ] {
            assert_eq!(TexEncoding::of_family(family).unwrap().char(code), Some(c), "{family} {code}");
        }
    }

    #[test]
    fn s7_other_families_are_not_tex() {
        for family in ["Cmr", "CMRoman", "Arial", "CMEX10", "ec", "10", ""] {
            assert_eq!(TexEncoding::of_family(family), None, "{family}");
        }
        assert_eq!(TexEncoding::Ot1.char(200), None);
    }

    #[test]
    fn s7_truetype_versions_move_low_codes() {
        assert_eq!(TexEncoding::Oms.char_of_truetype(0x30), Some('′'));
        assert_eq!(TexEncoding::Oms.char_of_truetype(0xA1), Some('−'));
        assert_eq!(TexEncoding::Oms.char_of_truetype(0xC3), Some('←'));
        assert_eq!(TexEncoding::Oml.char_of_truetype(0xAE), Some('α'));
    }
}
