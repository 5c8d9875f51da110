//! Settings as text, without secrets.

use std::fmt::Write;

use serde_json::Value;

use super::Config;

/// What stands for a secret that is set.
const REDACTED: &str = "***";

impl Config {
    /// The settings as TOML, passwords and tokens replaced by `***`.
    pub fn to_toml(&self) -> String {
        let mut shown = self.clone();
        shown.queue.url = without_password(&shown.queue.url);
        shown.ledger.url = without_password(&shown.ledger.url);
        shown.store.endpoint = without_password(&shown.store.endpoint);
        if !shown.listen.token.is_empty() {
            REDACTED.clone_into(&mut shown.listen.token);
        }
        let sections = serde_json::to_value(&shown).expect("settings are plain data");
        let mut toml = String::new();
        for (section, keys) in sections.as_object().into_iter().flatten() {
            let _ = writeln!(toml, "[{section}]");
            for (key, value) in keys.as_object().into_iter().flatten() {
                // Numbers, booleans and strings without control characters are spelled alike in JSON and TOML.
                let _ = writeln!(toml, "{key} = {}", escaped(value));
            }
            toml.push('\n');
        }
        toml.truncate(toml.trim_end().len());
        toml.push('\n');
        toml
    }
}

fn escaped(value: &Value) -> String {
    // JSON leaves DEL as it is, TOML does not take it.
    value.to_string().replace('\u{7f}', "\\u007f")
}

/// `scheme://user:***@host`, parameters that may hold a password left out.
fn without_password(url: &str) -> String {
    let (url, query) = url.split_once('?').map_or((url, ""), |(url, query)| (url, query));
    let mut shown = match url.split_once("://") {
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((login, host)) => {
                let user = login.split(':').next().unwrap_or_default();
                let secret = if login.contains(':') { format!(":{REDACTED}") } else { String::new() };
                format!("{scheme}://{user}{secret}@{host}")
            }
            None => url.to_owned(),
        },
        None => url.to_owned(),
    };
    if query.to_lowercase().contains("password") {
        shown.push_str("?***");
    } else if !query.is_empty() {
        let _ = write!(shown, "?{query}");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_not_printed() {
        let mut config = Config::default();
        config.queue.url = "amqps://sieve:hunter2@rabbit:5671/%2f".to_owned();
        config.ledger.url = "postgres://u:p@ss@db/sieve?sslpassword=hunter2".to_owned();
        config.listen.token = "hunter2".to_owned();
        let toml = config.to_toml();
        assert!(!toml.contains("hunter2") && !toml.contains("p@ss"), "{toml}");
        assert!(toml.contains("amqps://sieve:***@rabbit:5671/%2f"), "{toml}");
        assert!(toml.contains("token = \"***\""), "{toml}");
    }

    #[test]
    fn what_is_printed_reads_back() {
        use figment::providers::{Format, Toml};
        let read: Config =
            figment::Figment::from(Toml::string(&Config::default().to_toml())).extract().unwrap();
        assert_eq!(read, Config::default());
    }
}
