//! Encryption by lopdf: the passwords and ciphers of the standard security handler.

use std::collections::BTreeMap;
use std::sync::Arc;

use lopdf::encryption::crypt_filters::{Aes128CryptFilter, Aes256CryptFilter, CryptFilter};
use lopdf::{Document, EncryptionState, EncryptionVersion, Permissions};

/// How a file is encrypted. An empty user password lets everyone read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encryption {
    /// The cipher.
    pub cipher: Cipher,
    /// Asked of a reader.
    pub user_password: String,
}

/// A cipher of the standard security handler. The AES ones begin with random bytes: two builds differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cipher {
    /// V1, 40 bits.
    Rc4Of40Bits,
    /// V2, 128 bits.
    Rc4Of128Bits,
    /// V4.
    Aes128,
    /// V5, revision 6.
    Aes256,
}

impl Encryption {
    /// With an empty user password: readable by everyone.
    pub fn open(cipher: Cipher) -> Self {
        Self { cipher, user_password: String::new() }
    }

    /// With a user password.
    pub fn locked(cipher: Cipher, user_password: &str) -> Self {
        Self { cipher, user_password: user_password.into() }
    }
}

pub(super) fn encrypt(file: &[u8], encryption: &Encryption) -> Vec<u8> {
    let mut document = Document::load_mem(file).expect("lopdf reads what the builder writes");
    let state = state(&document, encryption);
    document.encrypt(&state).expect("a plain document can be encrypted");
    let mut out = Vec::new();
    document.save_to(&mut out).expect("writing to memory cannot fail");
    out
}

fn state(document: &Document, Encryption { cipher, user_password }: &Encryption) -> EncryptionState {
    let (owner_password, permissions) = ("owner", Permissions::all());
    let filters = |filter: Arc<dyn CryptFilter>| BTreeMap::from([(b"StdCF".to_vec(), filter)]);
    let (stream_filter, string_filter) = (b"StdCF".to_vec(), b"StdCF".to_vec());
    let version = match cipher {
        Cipher::Rc4Of40Bits => EncryptionVersion::V1 { document, owner_password, user_password, permissions },
        Cipher::Rc4Of128Bits => {
            EncryptionVersion::V2 { document, owner_password, user_password, key_length: 128, permissions }
        }
        Cipher::Aes128 => EncryptionVersion::V4 {
            document,
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes128CryptFilter)),
            stream_filter,
            string_filter,
            owner_password,
            user_password,
            permissions,
        },
        Cipher::Aes256 => EncryptionVersion::V5 {
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes256CryptFilter)),
            file_encryption_key: b"a key of thirty-two plain bytes!",
            stream_filter,
            string_filter,
            owner_password,
            user_password,
            permissions,
        },
    };
    EncryptionState::try_from(version).expect("passwords and key lengths are valid")
}
