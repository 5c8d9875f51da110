//! Which reader opens a file.

use std::sync::Arc;

use hayro_syntax::{LoadPdfError, Pdf, PdfData};

use super::{Document, OpenError, tree};
use crate::score::evidence::{DocumentInfo, Finding, FindingCode};
use crate::score::limits::Limits;

/// The bytes of a file, shared and not copied.
struct FileBytes(Arc<[u8]>);

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

pub(super) fn open(bytes: Arc<[u8]>, limits: &Limits) -> Result<Document, OpenError> {
    if bytes.len() as u64 > limits.document_bytes {
        let message = format!("{} bytes, over the limit of {}", bytes.len(), limits.document_bytes);
        return Err(OpenError::OverLimit(message));
    }
    let pdf = match Pdf::new(PdfData::from(Arc::new(FileBytes(bytes)))) {
        Ok(pdf) => pdf,
        Err(LoadPdfError::Decryption(_)) => return Err(OpenError::Encrypted("a password is needed")),
        Err(LoadPdfError::Invalid) => return Err(OpenError::Malformed("no page tree is reachable")),
    };
    let walked = tree::walk(&pdf, limits.pages, |_| ());
    let pages_from_reader = walked.n_pages == 0 && !pdf.pages().is_empty();
    let n_pages = if pages_from_reader { pdf.pages().len() as u32 } else { walked.n_pages };
    if n_pages > limits.pages {
        return Err(OpenError::OverLimit(format!("more than {} pages", limits.pages)));
    }
    let mut findings = Vec::new();
    if walked.damaged {
        findings.push(Finding {
            page: None,
            code: FindingCode::PageTreeDamaged,
            detail: "a node of the page tree is missing or met again".into(),
        });
    }
    let info = DocumentInfo { n_pages, ..DocumentInfo::default() };
    Ok(Document { limits: limits.clone(), info, findings, pdf, pages_from_reader })
}
