//! The S3 server of the tests: buckets of their own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use pagesieve::config::Store;
use pagesieve::objects::{ObjectKey, Objects, S3};

/// A bucket that this test alone uses.
pub(crate) struct Bucket {
    pub(crate) name: String,
    endpoint: String,
    runtime: tokio::runtime::Runtime,
}

impl Bucket {
    pub(crate) fn new() -> Self {
        let endpoint = std::env::var("PAGESIEVE_TEST_S3")
            .expect("PAGESIEVE_TEST_S3 names an S3 server for tests; ./test.sh starts one");
        let name = format!("t{}", uuid::Uuid::now_v7().simple());
        // The SDK's credentials come from the environment of the programs that are started; the server takes any.
        let host = endpoint.strip_prefix("http://").expect("an http:// address").trim_end_matches('/');
        let mut server = TcpStream::connect(host).expect("the S3 server is there");
        let authorization = "AWS4-HMAC-SHA256 Credential=pagesieve/20260101/us-east-1/s3/aws4_request";
        let request = format!(
            "PUT /{name} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {authorization}, SignedHeaders=host, \
             Signature=0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        server.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        server.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { name, endpoint, runtime }
    }

    pub(crate) fn url(&self, prefix: &str) -> String {
        format!("s3://{}/{prefix}", self.name)
    }

    /// What a program needs to find the server.
    pub(crate) fn settings(&self, command: &mut Command) {
        command.envs(self.environment());
    }

    /// The same as variables.
    pub(crate) fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("PAGESIEVE_STORE__ENDPOINT", self.endpoint.clone()),
            ("PAGESIEVE_STORE__PATH_STYLE", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "pagesieve".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "pagesieve-secret".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ]
    }

    pub(crate) fn store(&self, prefix: &str) -> S3 {
        // SAFETY: set to the same values by every test, before the SDK reads them.
        unsafe {
            std::env::set_var("AWS_ACCESS_KEY_ID", "pagesieve");
            std::env::set_var("AWS_SECRET_ACCESS_KEY", "pagesieve-secret");
        }
        let store = Store { endpoint: self.endpoint.clone(), region: String::new(), path_style: true };
        S3::new(&store, &self.name, prefix)
    }

    /// Puts every file below a folder at the same place below `prefix`.
    pub(crate) fn fill(&self, prefix: &str, folder: &Path) {
        let store = self.store(prefix);
        for file in walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap) {
            if file.file_type().is_file() {
                let key = file.path().strip_prefix(folder).unwrap().to_str().unwrap();
                self.put(&store, key, std::fs::read(file.path()).unwrap());
            }
        }
    }

    pub(crate) fn put(&self, store: &S3, key: &str, bytes: Vec<u8>) {
        self.runtime.block_on(store.put(&ObjectKey::new(key).unwrap(), bytes)).unwrap();
    }

    pub(crate) fn delete(&self, store: &S3, key: &str) {
        self.runtime.block_on(store.delete(&ObjectKey::new(key).unwrap())).unwrap();
    }

    /// Keys below `prefix`, in order.
    pub(crate) fn keys(&self, prefix: &str) -> Vec<String> {
        let store = self.store(prefix);
        let found = self.runtime.block_on(store.list("", None, usize::MAX)).unwrap();
        found.into_iter().map(|meta| meta.key.to_string()).collect()
    }

    /// Writes every object below `prefix` to the same place below a folder.
    pub(crate) fn empty_into(&self, prefix: &str, folder: &Path) {
        let store = self.store(prefix);
        for key in self.keys(prefix) {
            let bytes =
                self.runtime.block_on(store.get(&ObjectKey::new(key.clone()).unwrap(), 1 << 30, None));
            let path = folder.join(key);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes.unwrap()).unwrap();
        }
    }
}
