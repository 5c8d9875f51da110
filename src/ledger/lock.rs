use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::LedgerError;

/// An exclusive advisory lock (`flock`) on a file beside the SQLite file; SQLite's own locks are on the file itself.
///
/// The file stays when the lock is dropped: removing it would let two processes lock two files of one name.
#[derive(Debug)]
pub(super) struct OwnerLock {
    _file: File,
}

impl OwnerLock {
    pub(super) fn take(ledger: &Path) -> Result<Self, LedgerError> {
        let mut name = ledger.as_os_str().to_owned();
        name.push("-lock");
        let path = PathBuf::from(name);
        let failed = |source| LedgerError::Lock { path: path.clone(), source };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LedgerError::Busy { path: ledger.to_owned() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}
