use std::fmt;

use super::ObjectError;

/// The name of an object below a root: segments joined by `/`, none of them empty, `.` or `..`.
///
/// At most 1,024 bytes, as in S3; no control characters and no backslash, so that it means one thing on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, ObjectError> {
        let text = text.into();
        let good_segment = |segment: &str| !matches!(segment, "" | "." | "..") && segment.len() <= 255;
        let good = text.len() <= 1024
            && text.split('/').all(good_segment)
            && !text.chars().any(|c| c.is_control() || c == '\\');
        if good { Ok(Self(text)) } else { Err(ObjectError::BadKey(text)) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<&str> for ObjectKey {
    type Error = ObjectError;

    fn try_from(text: &str) -> Result<Self, ObjectError> {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_do_not_climb() {
        for bad in ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\\b", "a\0b", "a\nb"]
        {
            assert!(ObjectKey::new(bad).is_err(), "{bad:?}");
        }
        assert!(ObjectKey::new("a".repeat(256)).is_err());
        for good in ["a", "..a", "a..", "...", "_staging/x/1-2.parquet", "bucket=03/ä b"] {
            assert!(ObjectKey::new(good).is_ok(), "{good:?}");
        }
    }

    proptest! {
        #[test]
        fn a_key_stays_below_any_root(text in ".{0,40}") {
            if let Ok(key) = ObjectKey::new(text) {
                let path = std::path::Path::new("/root").join(key.as_str());
                prop_assert!(path.starts_with("/root"));
                let normal = path.components().skip(2).all(|c| matches!(c, std::path::Component::Normal(_)));
                prop_assert!(normal);
            }
        }
    }
}
