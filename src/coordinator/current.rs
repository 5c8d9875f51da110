//! The current snapshot, as anyone with the results root sees it.

use std::path::PathBuf;

use super::CoordinatorError;
use super::close::{MANIFEST_BYTES, read_manifest};
use crate::objects::{ObjectError, ObjectKey, Objects};
use crate::tables::{CURRENT_FILE, Current, Table};

/// Local files of the `documents` table of a corpus's current snapshot; `None` where it has none.
pub async fn current_documents(
    objects: &dyn Objects,
    corpus: &str,
) -> Result<Option<Vec<PathBuf>>, CoordinatorError> {
    let bytes = match objects.get(&ObjectKey::new(CURRENT_FILE)?, MANIFEST_BYTES, None).await {
        Ok(bytes) => bytes,
        Err(ObjectError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let current: Current = serde_json::from_slice(&bytes)
        .map_err(|source| CoordinatorError::Damaged { file: CURRENT_FILE.to_owned(), source })?;
    let Some(current) = current.corpora.get(corpus) else { return Ok(None) };
    let (mut files, scratch) = (Vec::new(), objects.scratch());
    for file in read_manifest(objects, &current.job).await?.files {
        if file.table == Table::Documents.name() {
            files.push(objects.local_file(&ObjectKey::new(file.path)?, &scratch).await?);
        }
    }
    Ok(Some(files))
}
