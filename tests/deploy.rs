//! What lies in `deploy/`, `dashboards/` and `config/` against the program: arguments, variables, ports, probes, metric names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pagesieve::telemetry::names;
use serde_json::Value;

use crate::support::{expect, pagesieve, stderr, stdout, text};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name().into_iter();
    let files: Vec<PathBuf> =
        files.map(|file| file.unwrap().into_path()).filter(|file| text(file).ends_with(ending)).collect();
    assert!(!files.is_empty(), "no {ending} in {folder}");
    files
}

/// The documents of a YAML file, anchors merged.
fn yaml(path: &Path) -> Vec<Value> {
    let source = read(path);
    let documents = serde_yaml_ng::Deserializer::from_str(&source).map(|document| {
        let document = <serde_yaml_ng::Value as serde::Deserialize>::deserialize(document);
        let mut document = document.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        document.apply_merge().unwrap();
        serde_json::to_value(document).unwrap()
    });
    documents.collect()
}

/// Every object in a value, itself included.
fn objects<'a>(value: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match value {
        Value::Object(map) => {
            found.push(map);
            map.values().for_each(|value| objects(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| objects(value, found)),
        _ => {}
    }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Arguments of every place that runs the program.
fn invocations() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for file in files("deploy", ".yaml") {
        for document in yaml(&file) {
            let mut maps = Vec::new();
            objects(&document, &mut maps);
            for map in maps {
                let ours = map
                    .get("image")
                    .and_then(Value::as_str)
                    .is_some_and(|image| image.starts_with("pagesieve"));
                if let (true, Some(arguments)) = (ours, map.get("args").or(map.get("command"))) {
                    found.push((file.display().to_string(), strings(arguments)));
                }
            }
        }
    }
    for file in files("deploy/systemd", ".service") {
        let unit = read(&file);
        let line =
            unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/pagesieve ")).unwrap();
        let words =
            line.split(' ').filter(|word| !word.starts_with("/etc/")).filter(|word| *word != "--config");
        found.push((file.display().to_string(), words.map(str::to_owned).collect()));
    }
    let container = read(&root().join("deploy/Containerfile"));
    let line = container.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    found.push(("Containerfile".to_owned(), serde_json::from_str(line).unwrap()));
    found
}

#[test]
fn every_role_is_started_with_arguments_that_the_program_takes() {
    let mut commands = BTreeSet::new();
    for (place, arguments) in invocations() {
        let output = pagesieve().args(&arguments).arg("--help").output().unwrap();
        assert!(output.status.success(), "{place}: {arguments:?}: {}", stderr(&output));
        commands.insert(arguments[0].clone());
        if let Some(at) = arguments.iter().position(|argument| argument == "--listen") {
            assert_eq!(arguments[at + 1], "0.0.0.0:9464", "{place}");
        }
    }
    let all = ["coordinator", "migrate", "relay", "submit", "worker"];
    assert_eq!(commands.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

#[test]
fn every_variable_is_a_setting() {
    let mut variables = BTreeMap::new();
    for file in files("deploy", ".yaml") {
        for document in yaml(&file) {
            let mut maps = Vec::new();
            objects(&document, &mut maps);
            for (name, value) in maps.into_iter().flatten() {
                if name.starts_with("PAGESIEVE_") {
                    variables.insert(name.clone(), value.as_str().expect("a quoted value").to_owned());
                }
            }
        }
    }
    assert!(variables.len() >= 6, "{variables:?}");
    let mut command = pagesieve();
    let output = command.args(["config", "check"]).envs(&variables).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn the_example_settings_are_valid() {
    for name in ["laptop", "single-server", "cluster"] {
        let file = root().join(format!("config/{name}.toml"));
        expect(0, &["--config", text(&file), "config", "check"]);
    }
}

#[test]
fn probes_and_ports_are_those_that_are_served() {
    let mut probes = BTreeSet::new();
    for file in files("deploy/kubernetes/base", ".yaml") {
        for document in yaml(&file) {
            let mut maps = Vec::new();
            objects(&document, &mut maps);
            for map in maps {
                if let Some(get) = map.get("httpGet") {
                    probes.insert(get["path"].as_str().unwrap().to_owned());
                }
                if let Some(port) = map.get("containerPort") {
                    assert_eq!(port, 9464, "{}", file.display());
                }
                if map.contains_key("containers") {
                    assert_eq!(map["automountServiceAccountToken"], false);
                    assert_eq!(map["securityContext"]["runAsNonRoot"], true);
                    let container = &map["containers"][0];
                    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
                    assert_eq!(
                        container["resources"]["limits"]["memory"],
                        container["resources"]["requests"]["memory"]
                    );
                }
            }
        }
    }
    assert_eq!(probes.into_iter().collect::<Vec<_>>(), ["/healthz", "/readyz"]);
    assert!(read(&root().join("deploy/Containerfile")).contains("EXPOSE 9464\n"));
    let scrape = read(&root().join("deploy/prometheus/prometheus.yaml"));
    assert!(scrape.contains("port: 9464"));
}

#[test]
fn every_file_of_the_base_is_listed() {
    let base = root().join("deploy/kubernetes/base");
    let listed: BTreeSet<String> =
        strings(&yaml(&base.join("kustomization.yaml"))[0]["resources"]).into_iter().collect();
    let names = files("deploy/kubernetes/base", ".yaml").into_iter();
    let names = names.map(|file| file.file_name().unwrap().to_str().unwrap().to_owned());
    let there: BTreeSet<String> = names.filter(|name| name != "kustomization.yaml").collect();
    assert_eq!(listed, there);
}

fn overlays() -> Vec<PathBuf> {
    let files = files("deploy/kubernetes/overlays", "kustomization.yaml");
    files.iter().map(|file| file.parent().unwrap().to_owned()).collect()
}

#[test]
fn overlays_patch_what_the_base_has() {
    let base: Vec<Value> =
        files("deploy/kubernetes/base", ".yaml").iter().flat_map(|file| yaml(file)).collect();
    let find = |kind: &str, name: &str| {
        let mut found =
            base.iter().filter(|object| object["kind"] == kind && object["metadata"]["name"] == name);
        found.next().unwrap_or_else(|| panic!("there is no {kind} `{name}`"))
    };
    let mut n_patches = 0;
    for overlay in overlays() {
        let settings = yaml(&overlay.join("kustomization.yaml")).remove(0);
        for count in settings["replicas"].as_array().into_iter().flatten() {
            find("Deployment", count["name"].as_str().unwrap());
        }
        for patch in settings["patches"].as_array().unwrap() {
            let target = &patch["target"];
            let object = find(target["kind"].as_str().unwrap(), target["name"].as_str().unwrap());
            let steps: Value = serde_yaml_ng::from_str(patch["patch"].as_str().unwrap()).unwrap();
            for step in steps.as_array().unwrap() {
                let path = step["path"].as_str().unwrap();
                let (parent, _) = path.rsplit_once('/').unwrap();
                let there = if step["op"] == "add" { parent } else { path };
                assert!(object.pointer(there).is_some(), "{}: {path}", overlay.display());
                n_patches += 1;
            }
        }
    }
    assert!(n_patches >= 6, "{n_patches}");
}

/// What a cluster would get: the overlay as `kubectl kustomize` renders it; without kubectl, which Debian has only in a release too old
/// for our files, the base alone.
fn manifests(overlay: &Path) -> String {
    match Command::new("kubectl").arg("kustomize").arg(overlay).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}: {}", overlay.display(), stderr(&output));
            String::from_utf8(output.stdout).unwrap()
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("kubectl is not here: the base is held against the schemas, not the overlays");
            let base = files("deploy/kubernetes/base", ".yaml").into_iter();
            let base = base.filter(|file| !file.ends_with("kustomization.yaml"));
            base.map(|file| read(&file)).collect::<Vec<_>>().join("\n---\n")
        }
        Err(error) => panic!("kubectl: {error}"),
    }
}

#[test]
fn rendered_overlays_fit_the_schemas_of_kubernetes() {
    let python = std::env::var("PAGESIEVE_TEST_PYTHON")
        .expect("PAGESIEVE_TEST_PYTHON names a Python with kubernetes-validate (see test.sh)");
    let check = |manifests: &str| {
        let mut command = Command::new(&python);
        command.arg(root().join("tests/kubernetes.py")).arg("1.32");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("Python starts");
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), manifests.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    for overlay in overlays() {
        let manifests = manifests(&overlay);
        let output = check(&manifests);
        assert!(output.status.success(), "{}: {}", overlay.display(), stderr(&output));
        assert_eq!(stdout(&output), "11 ScaledObject TriggerAuthentication\n", "{}", overlay.display());
        let misspelt = manifests.replacen("terminationGracePeriodSeconds", "terminationGraceSeconds", 1);
        assert!(!check(&misspelt).status.success(), "a misspelt field passes");
    }
}

/// Words that begin with `pagesieve` and are names of metrics or recorded rules.
fn metrics_in(expression: &str) -> Vec<String> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
    words.filter(|word| word.starts_with("pagesieve")).map(str::to_owned).collect()
}

#[test]
fn dashboards_and_alerts_ask_for_metrics_that_exist() {
    let rules = yaml(&root().join("dashboards/alerts.yaml")).remove(0);
    let rules = rules["groups"][0]["rules"].as_array().unwrap().clone();
    let mut known: BTreeSet<String> = names::ALL.iter().map(|(name, _, _)| (*name).to_owned()).collect();
    known.extend(rules.iter().filter_map(|rule| rule["record"].as_str()).map(str::to_owned));
    let mut expressions: Vec<String> =
        rules.iter().map(|rule| rule["expr"].as_str().unwrap().to_owned()).collect();
    for file in files("dashboards", ".json") {
        let board: Value = serde_json::from_str(&read(&file)).unwrap();
        let panels = board["panels"].as_array().unwrap();
        let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
        assert_eq!(ids.len(), panels.len(), "{}", file.display());
        for panel in panels {
            assert!(panel["fieldConfig"]["defaults"]["unit"].is_string(), "{}", panel["title"]);
            for target in panel["targets"].as_array().unwrap() {
                assert!(!target["legendFormat"].as_str().unwrap().is_empty());
                expressions.push(target["expr"].as_str().unwrap().to_owned());
            }
        }
    }
    let scaling = yaml(&root().join("deploy/kubernetes/base/scaling.yaml"));
    expressions.push(scaling[0]["spec"]["triggers"][0]["metadata"]["query"].as_str().unwrap().to_owned());
    for expression in &expressions {
        let asked = metrics_in(expression);
        assert!(!asked.is_empty(), "{expression}");
        for name in asked {
            let plain = name.strip_suffix("_bucket").unwrap_or(&name);
            assert!(known.contains(plain), "`{name}` in `{expression}` is no metric");
        }
    }
    assert!(expressions.len() > 30);
}

#[test]
fn every_alert_has_its_place_in_the_runbook_and_a_test() {
    let runbook = read(&root().join("dashboards/RUNBOOK.md")).to_lowercase();
    let cases = read(&root().join("dashboards/alerts_test.yaml"));
    let rules = yaml(&root().join("dashboards/alerts.yaml")).remove(0);
    for rule in rules["groups"][0]["rules"].as_array().unwrap() {
        let Some(alert) = rule["alert"].as_str() else { continue };
        let link = rule["annotations"]["runbook_url"].as_str().unwrap();
        let anchor = link.strip_prefix("dashboards/RUNBOOK.md#").unwrap();
        assert_eq!(anchor, alert.to_lowercase());
        assert!(runbook.contains(&format!("\n## {anchor}\n")), "{alert}");
        let fires = cases
            .lines()
            .any(|line| line.contains(&format!("alertname: {alert},")) && line.contains("exp_labels"));
        assert!(fires, "no case in which {alert} fires");
    }
}
