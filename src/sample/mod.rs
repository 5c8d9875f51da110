//! PDFs and fonts built in code, for tests and `pagesieve sample`.
