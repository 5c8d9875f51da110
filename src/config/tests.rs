use figment::providers::{Format, Toml};

use super::*;

fn parse(toml: &str) -> Result<Config, Box<figment::Error>> {
    Figment::from(Toml::string(toml)).extract().map_err(Box::new)
}

#[test]
fn the_embedded_defaults_are_the_defaults() {
    assert_eq!(parse(DEFAULT_TOML).unwrap(), Config::default());
    Config::default().validate().unwrap();
}

/// Every key of the defaults stands in the file under a comment, and the file has no other.
#[test]
fn every_key_is_in_the_file_and_explained() {
    let sections = serde_json::to_value(Config::default()).unwrap();
    for (section, keys) in sections.as_object().unwrap() {
        let body = DEFAULT_TOML.split_once(&format!("[{section}]\n")).expect(section).1;
        let body = body.split("\n[").next().unwrap();
        let lines: Vec<&str> = body.lines().collect();
        for key in keys.as_object().unwrap().keys() {
            let at = lines.iter().position(|line| line.starts_with(&format!("{key} = ")));
            let at = at.unwrap_or_else(|| panic!("{section}.{key} is not in default.toml"));
            assert!(at > 0 && lines[at - 1].starts_with('#'), "{section}.{key} is not explained");
        }
    }
}

#[test]
fn unknown_keys_and_sections_are_refused() {
    assert!(parse("[limits]\nspeed = 1").unwrap_err().to_string().contains("speed"));
    assert!(parse("[warp]\nspeed = 1").unwrap_err().to_string().contains("warp"));
    assert!(parse("[policy]\nunjudged = \"burn\"").is_err());
}

#[test]
fn bounds_are_named() {
    let mut config = Config::default();
    config.limits.pages = 0;
    assert_eq!(config.validate().unwrap_err().to_string(), "`limits.pages` is 0, but must be 1 to 1000000");
    let mut config = Config::default();
    config.policy.unjudged = crate::score::Route::Decode;
    assert_eq!(
        config.validate().unwrap_err().to_string(),
        "`policy.unjudged` is decode, but must be keep or ocr"
    );
    let mut config = Config::default();
    config.queue.url = "http://user:secret@host".to_owned();
    let error = config.validate().unwrap_err().to_string();
    assert!(error.contains("queue.url") && error.contains("amqp://") && !error.contains("secret"), "{error}");
}

#[test]
fn folders_are_a_list_or_a_text_with_colons() {
    for toml in ["file_roots = [\"/a\", \"/b c\"]", "file_roots = \"/a:/b c\""] {
        assert_eq!(parse(&format!("[worker]\n{toml}")).unwrap().worker.file_roots, ["/a", "/b c"]);
    }
    let mut config = parse("[worker]\nfile_roots = \"\"").unwrap();
    config.validate().unwrap();
    config.worker.file_roots = vec!["pdfs".to_owned()];
    let error = config.validate().unwrap_err().to_string();
    assert_eq!(error, "`worker.file_roots` is `pdfs`, but must be absolute folders");
}

#[test]
fn an_open_port_needs_a_token() {
    let mut config = Config::default();
    for addr in ["127.0.0.1:8080", "[::1]:8080", "localhost:8080"] {
        addr.clone_into(&mut config.listen.addr);
        config.validate().unwrap();
    }
    for addr in ["0.0.0.0:8080", "[::]:8080", "worker-1:8080", "8080"] {
        addr.clone_into(&mut config.listen.addr);
        assert!(config.validate().unwrap_err().to_string().contains("listen.addr"), "{addr}");
    }
    config.listen.addr = "0.0.0.0:8080".to_owned();
    config.listen.token = "t".to_owned();
    config.validate().unwrap();
}
