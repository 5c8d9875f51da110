use std::collections::BTreeMap;

use lopdf::encryption::crypt_filters::{Aes128CryptFilter, Aes256CryptFilter, CryptFilter};
use lopdf::{EncryptionState, EncryptionVersion, Permissions};

use super::*;

const TEXT: &[u8] = b"BT (secret) Tj ET";

fn plain() -> Vec<u8> {
    let info =
        "/Root 1 0 R/Info 5 0 R/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]";
    file_with_trailer(
        &[CATALOG, ONE_KID, PAGE, &stream("/Filter/FlateDecode", &zlib(TEXT)), b"<</Producer(Writer 1.0)>>"],
        info,
    )
}

fn encrypted(version: impl FnOnce(&lopdf::Document) -> EncryptionState) -> Vec<u8> {
    let mut document = lopdf::Document::load_mem(&plain()).unwrap();
    let state = version(&document);
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn rc4(user_password: &str) -> Vec<u8> {
    encrypted(|document| {
        let version = EncryptionVersion::V2 {
            document,
            owner_password: "owner",
            user_password,
            key_length: 128,
            permissions: Permissions::all(),
        };
        version.try_into().unwrap()
    })
}

fn filters(filter: Arc<dyn CryptFilter>) -> BTreeMap<Vec<u8>, Arc<dyn CryptFilter>> {
    BTreeMap::from([(b"StdCF".to_vec(), filter)])
}

fn aes_128() -> Vec<u8> {
    encrypted(|document| {
        let version = EncryptionVersion::V4 {
            document,
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes128CryptFilter)),
            stream_filter: b"StdCF".to_vec(),
            string_filter: b"StdCF".to_vec(),
            owner_password: "owner",
            user_password: "",
            permissions: Permissions::all(),
        };
        version.try_into().unwrap()
    })
}

fn aes_256() -> Vec<u8> {
    encrypted(|_| {
        let version = EncryptionVersion::V5 {
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes256CryptFilter)),
            file_encryption_key: &[7; 32],
            stream_filter: b"StdCF".to_vec(),
            string_filter: b"StdCF".to_vec(),
            owner_password: "owner",
            user_password: "",
            permissions: Permissions::all(),
        };
        version.try_into().unwrap()
    })
}

/// A file that only a password opens.
pub(super) fn locked_file() -> Vec<u8> {
    rc4("secret")
}

fn renamed(bytes: &[u8], from: &[u8; 3], to: &[u8; 3]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = bytes.windows(3).rposition(|window| window == from).unwrap();
    bytes[at..at + 3].copy_from_slice(to);
    bytes
}

#[track_caller]
fn opens(bytes: &[u8], encrypted: bool) {
    let document = open(bytes).unwrap();
    assert_eq!(document.info().encrypted, encrypted);
    assert_eq!(document.info().producer.as_deref(), Some("Writer 1.0"));
    assert_eq!(content_of(bytes), (TEXT.to_vec(), ContentOutcome::default()));
}

#[test]
fn empty_user_password_opens() {
    opens(&plain(), false);
    opens(&rc4(""), true);
    opens(&aes_128(), true);
    opens(&aes_256(), true);
}

#[test]
fn identifier_may_be_missing_and_the_table_damaged() {
    // Revision 6 derives its key without the identifier.
    opens(&renamed(&aes_256(), b"/ID", b"/IX"), true);
    let damaged = String::from_utf8_lossy(&rc4("")).rfind("startxref").unwrap();
    assert!(damaged > 0);
    for bytes in [rc4(""), aes_128(), aes_256()] {
        let mut bytes = bytes;
        let at = bytes.windows(9).rposition(|window| window == b"startxref").unwrap();
        bytes[at..at + 9].copy_from_slice(b"startxxxx");
        opens(&bytes, true);
    }
}

#[test]
fn password_needed_is_encrypted_not_malformed() {
    assert_eq!(refusal(locked_file()), OpenError::Encrypted("a password is needed"));
}

#[test]
fn unknown_handler_is_encrypted() {
    let bytes = plain();
    let text = String::from_utf8_lossy(&bytes);
    let handlers = [
        ("<</Filter/Adobe.PubSec/V 4>>", "encrypted with an unsupported handler"),
        ("<</Filter/Standard/V 2/R 3>>", "encrypted with an invalid encryption dictionary"),
        ("<</Filter/Standard/V 9/R 9>>", "encrypted with an unsupported handler"),
    ];
    let at = text
        .find("/Root 1 0 R/Info")
        .map(|_| bytes.windows(8).rposition(|w| w == b"trailer\n").unwrap())
        .unwrap();
    for (handler, reason) in handlers {
        let trailer = format!("trailer\n<</Encrypt{handler}");
        let bytes = [&bytes[..at], trailer.as_bytes(), &bytes[at + 10..]].concat();
        assert_eq!(refusal(bytes), OpenError::Encrypted(reason));
    }
}

#[test]
fn encrypted_nothing_is_nothing() {
    let mut document = lopdf::Document::load_mem(&one_page(&stream("", b""), &[])).unwrap();
    document
        .trailer
        .set("ID", vec![lopdf::Object::string_literal("id"), lopdf::Object::string_literal("id")]);
    let version = EncryptionVersion::V4 {
        document: &document,
        encrypt_metadata: true,
        crypt_filters: filters(Arc::new(Aes128CryptFilter)),
        stream_filter: b"StdCF".to_vec(),
        string_filter: b"StdCF".to_vec(),
        owner_password: "",
        user_password: "",
        permissions: Permissions::all(),
    };
    let state: EncryptionState = version.try_into().unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    assert_eq!(content_of(bytes), (vec![], ContentOutcome::default()));
}
