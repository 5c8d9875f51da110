//! Arguments → the stages → exit code. One file per subcommand.
//!
//! Takes: the command line. Gives: results on standard output, everything else on standard error, and
//! an exit code (see `exit`). Never: prints control characters that came from a file.

mod check;
mod child;
mod compact;
mod completions;
mod config;
mod coordinator;
mod doctor;
mod exit;
mod export;
mod fleet;
mod given;
mod inspect;
mod migrate;
mod ocr;
mod output;
mod producer;
mod query;
mod region;
mod register;
mod relay;
mod repair;
mod report;
mod sample;
mod scan;
mod setup;
mod signals;
mod status;
mod submit;
mod table;
mod text;
mod up;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};

use crate::config::Config;
use crate::score::RULES_VERSION;

use exit::Exit;

/// `0.1.0 (rules 1)`: verdicts change only with the rules.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (rules {RULES_VERSION})", env!("CARGO_PKG_VERSION")));

/// Finds the PDF pages whose text layer lies, with proof, and queues them for OCR.
#[derive(Debug, Parser)]
#[command(name = "pagesieve", version = VERSION.as_str(), max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 a gate tripped (--fail-on, --strict), 2 usage or \
    configuration, 3 a service is unreachable, 4 internal, 130 interrupted (run the same command again \
    to go on).")]
struct Cli {
    /// Settings file; see `pagesieve config print`.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Scan(scan::Args),
    Inspect(inspect::Args),
    Text(text::Args),
    Check(check::Args),
    Repair(repair::Args),
    Report(report::Args),
    Query(query::Args),
    Export(export::Args),
    Register(register::Args),
    Sample(sample::Args),
    Submit(submit::Args),
    Coordinator(coordinator::Args),
    Worker(worker::Args),
    Relay(relay::Args),
    Up(up::Args),
    Status(status::Args),
    Ocr(ocr::Args),
    Migrate(migrate::Args),
    Doctor(doctor::Args),
    Compact(compact::Args),
    Config(config::Args),
    Completions(completions::Args),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    if let Some(arguments) = child::asked(std::env::args_os()) {
        return child::run(arguments).into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print(); // help and version are "errors" too, with their own exit codes
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    let run = std::panic::catch_unwind(|| dispatch(cli));
    match run {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => {
            output::say(&format!("pagesieve: {}", output::safe(&format!("{error:#}"))));
            Exit::of(&error).into()
        }
        // The message is already on standard error.
        Err(_) => {
            output::say("pagesieve: internal error: this is a bug, please report it with the lines above");
            Exit::Internal.into()
        }
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    let settings = || Config::load(cli.config.as_deref());
    match cli.command {
        Command::Scan(args) => scan::run(&args, &settings()?),
        Command::Inspect(args) => inspect::run(&args, &settings()?),
        Command::Text(args) => text::run(&args, &settings()?),
        Command::Check(args) => check::run(&args, &settings()?),
        Command::Repair(args) => repair::run(&args, &settings()?),
        Command::Report(args) => report::run(&args, &settings()?),
        Command::Query(args) => query::run(&args, &settings()?),
        Command::Export(args) => export::run(&args, &settings()?),
        Command::Register(args) => register::run(&args, &settings()?),
        Command::Sample(args) => sample::run(&args),
        Command::Submit(args) => submit::run(&args, &settings()?),
        Command::Coordinator(args) => coordinator::run(&args, &settings()?),
        Command::Worker(args) => worker::run(&args, &settings()?),
        Command::Relay(args) => relay::run(&args, &settings()?),
        Command::Up(args) => up::run(&args, &settings()?),
        Command::Status(args) => status::run(&args, &settings()?),
        Command::Ocr(args) => ocr::run(&args, &settings()?),
        Command::Migrate(args) => migrate::run(&args, &settings()?),
        Command::Doctor(args) => doctor::run(&args, &settings()?),
        Command::Compact(args) => compact::run(&args, &settings()?),
        Command::Config(args) => config::run(args, &settings()?),
        Command::Completions(args) => completions::run(args),
    }
}
