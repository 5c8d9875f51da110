//! What `<prefix>.documents` carries: document ids and seals, as JSON.

use serde::{Deserialize, Serialize};

/// Most bytes of a message; a URI is at most 8 KiB.
pub const MAX_BYTES: usize = 64 << 10;
/// Most bytes of a URI.
const MAX_URI_BYTES: usize = 8 << 10;
/// Most bytes of an ETag or the name of a corpus.
const MAX_NAME_BYTES: usize = 1 << 10;

/// A message of the document queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// One document to be scored.
    Document(DocumentMessage),
    /// The end of a job's documents.
    Seal(SealMessage),
}

/// One document to be scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentMessage {
    /// `file://…` or `s3://bucket/key`.
    pub uri: String,
    /// Version of the content, where the sender knows it; without it the document is never carried forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Size, where the sender knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Name of the corpus.
    #[serde(default = "default_corpus")]
    pub corpus: String,
    /// Job, a UUID; without one the document joins the corpus's open feed job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Score it even when unchanged; holds for the whole job.
    #[serde(default, skip_serializing_if = "is_false")]
    pub force: bool,
}

/// The end of a job's documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealMessage {
    /// Job, a UUID.
    pub job: String,
    /// Name of the corpus.
    #[serde(default = "default_corpus")]
    pub corpus: String,
    /// Different URIs sent for the job.
    pub documents: u64,
    /// Whether the job names the whole corpus, so that what it lacks was deleted.
    pub complete: bool,
    /// As in [`DocumentMessage`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub force: bool,
}

fn default_corpus() -> String {
    "default".to_owned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Message {
    /// Reads and checks a message; the error says what is wrong with it, without quoting it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("{} bytes, over the limit of {MAX_BYTES}", bytes.len()));
        }
        // The error's text quotes unknown variants and keys: it must not steer a terminal or fill a header.
        let message: Self = serde_json::from_slice(bytes)
            .map_err(|error| clean(&format!("not a document message: {error}")))?;
        message.check().map(|()| message)
    }

    /// The message as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers serialize")
    }

    fn check(&self) -> Result<(), String> {
        let (corpus, job) = match self {
            Self::Document(document) => {
                plain("uri", &document.uri, MAX_URI_BYTES)?;
                if !document.uri.starts_with("s3://") && !document.uri.starts_with("file:///") {
                    return Err("`uri` is neither s3:// nor file:///".to_owned());
                }
                document.etag.as_deref().map_or(Ok(()), |etag| plain("etag", etag, MAX_NAME_BYTES))?;
                if document.size_bytes.is_some_and(|size| i64::try_from(size).is_err()) {
                    return Err("`size_bytes` is too large".to_owned());
                }
                (&document.corpus, document.job.as_deref())
            }
            Self::Seal(seal) => {
                if i64::try_from(seal.documents).is_err() {
                    return Err("`documents` is too large".to_owned());
                }
                (&seal.corpus, Some(seal.job.as_str()))
            }
        };
        plain("corpus", corpus, MAX_NAME_BYTES)?;
        match job {
            // Hyphenated and lower-case, or one job would have several names.
            Some(job)
                if uuid::Uuid::parse_str(job).map(|id| id.hyphenated().to_string()).as_deref() != Ok(job) =>
            {
                Err("`job` is not a lower-case, hyphenated UUID".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Neither empty nor longer than `max` bytes, and without control characters (PostgreSQL stores no NUL).
fn plain(what: &str, text: &str, max: usize) -> Result<(), String> {
    match text {
        "" => Err(format!("`{what}` is empty")),
        text if text.len() > max => Err(format!("`{what}` is over {max} bytes")),
        text if text.chars().any(char::is_control) => Err(format!("`{what}` holds control characters")),
        _ => Ok(()),
    }
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn document(json: &str) -> DocumentMessage {
        match Message::parse(json.as_bytes()).unwrap() {
            Message::Document(document) => document,
            Message::Seal(_) => panic!("a seal"),
        }
    }

    #[test]
    fn the_least_a_publisher_must_say_is_the_uri() {
        let said = document(r#"{"type":"document","uri":"s3://b/a.pdf"}"#);
        assert_eq!((said.corpus.as_str(), said.job, said.etag, said.force), ("default", None, None, false));
        assert_eq!(document(r#"{"type":"document","uri":"s3://b/k","later":1}"#).uri, "s3://b/k");
    }

    #[test]
    fn what_is_malformed_is_told_why() {
        let job = "019abcde-0000-7000-8000-000000000000";
        for (json, why) in [
            ("", "not a document message"),
            ("[]", "not a document message"),
            (r#"{"type":"verdict"}"#, "verdict"),
            (r#"{"type":"document"}"#, "uri"),
            (r#"{"type":"document","uri":""}"#, "`uri` is empty"),
            (r#"{"type":"document","uri":"http://h/a.pdf"}"#, "neither s3:// nor file:///"),
            (r#"{"type":"document","uri":"s3://b/a\u0000b"}"#, "control characters"),
            (r#"{"type":"document","uri":"s3://b/a","size_bytes":-1}"#, "not a document message"),
            (r#"{"type":"document","uri":"s3://b/a","size_bytes":18446744073709551615}"#, "too large"),
            (r#"{"type":"document","uri":"s3://b/a","job":"tonight"}"#, "UUID"),
            (r#"{"type":"seal","documents":3,"complete":true}"#, "job"),
            (r#"{"type":"seal","job":"X","documents":3,"complete":true}"#, "UUID"),
        ] {
            let error = Message::parse(json.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{json}: {error}");
        }
        assert!(Message::parse(&vec![b' '; MAX_BYTES + 1]).unwrap_err().contains("over the limit"));
        let upper = format!(r#"{{"type":"document","uri":"s3://b/a","job":"{}"}}"#, job.to_uppercase());
        assert!(Message::parse(upper.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn parsing_survives_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Err(why) = Message::parse(&bytes) {
                prop_assert!(!why.chars().any(char::is_control) && why.chars().count() <= 250);
            }
        }

        #[test]
        fn a_message_comes_back(key in "[a-z/é]{1,40}", etag in proptest::option::of("[0-9a-f-]{1,40}"), size in proptest::option::of(0_u64..1 << 40), force: bool) {
            let message = Message::Document(DocumentMessage {
                uri: format!("s3://bucket/{key}"), etag, size_bytes: size, corpus: "c".into(),
                job: Some(uuid::Uuid::now_v7().hyphenated().to_string()), force,
            });
            prop_assert_eq!(Message::parse(&message.to_json()).unwrap(), message);
        }
    }
}
