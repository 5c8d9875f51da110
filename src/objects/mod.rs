//! Object storage: one trait, a local folder and S3.
