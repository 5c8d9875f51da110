//! The other side of the pipe: `pagesieve child`.
//!
//! ```text
//! fenced in ──Setup──► ready ──Document + bytes──► scoring ──Done──► ready … ──end of input──► exit 0
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::score::{self, DocumentInfo, DocumentScore, Event, Settings, State};

use super::frame::{self, Header, Kind, Ready, Setup};
use super::sandbox::{self, Sandbox};
use super::stream::Stream;
use super::sys::{self, Resource};

/// Stack of a scoring thread. Recursion is bounded by `limits.depth`; this leaves it room.
pub(super) const STACK_BYTES: usize = 16 << 20;

/// Most threads of one document, whatever the parent asks.
const MAX_THREADS: usize = 256;

/// The arguments of the hidden subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildArgs {
    /// Address space, in bytes.
    pub address_space: u64,
}

/// Scores documents from standard input until it ends; answers on standard output.
///
/// # Errors
/// When a limit cannot be set, when the parent does not speak the protocol, or is gone.
pub fn run(args: ChildArgs) -> io::Result<()> {
    quiet_panics();
    let sandbox = sandbox::enter(args.address_space)?;
    // Everything of a document but its further threads happens on one thread, with room for recursion: handing it from
    // thread to thread costs a short document more than opening it.
    let serving = std::thread::Builder::new().name("serve".into()).stack_size(STACK_BYTES);
    serving
        .spawn(move || serve(sandbox))?
        .join()
        .map_err(|_| io::Error::other("the serving thread panicked"))?
}

fn serve(sandbox: Sandbox) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 << 10, io::stdin());
    let mut output = io::stdout();
    let Some(setup) = frame::read::<Setup>(&mut input, Kind::Setup)? else { return Ok(()) };
    frame::write(&mut output, Kind::Ready, &Ready { sandbox })?;
    let mut scorer = Scorer::default();
    let watch = Watch::start(Duration::from_millis(setup.stream_after_ms))?;
    while let Some(header) = frame::read::<Header>(&mut input, Kind::Document)? {
        let file = read_document(&mut input, header.size_bytes)?;
        scorer.score(file, &setup, header.threads, &watch)?;
    }
    Ok(())
}

/// Opens the stream of a document that takes long: a page that never ends must not keep back those before it.
#[derive(Default)]
struct Watch {
    after: Duration,
    current: Mutex<Option<(Instant, Arc<Stream<io::Stdout>>)>>,
}

impl Watch {
    /// Looks at the clock several times in `after`, so that beginning a document wakes nobody.
    fn start(after: Duration) -> io::Result<Arc<Self>> {
        let watch = Arc::new(Self { after, current: Mutex::default() });
        if !after.is_zero() {
            let this = Arc::clone(&watch);
            std::thread::Builder::new().name("watch".into()).spawn(move || {
                loop {
                    std::thread::sleep(after / 4);
                    let mut current = this.lock();
                    if let Some((_, stream)) = current.take_if(|(since, _)| since.elapsed() >= after) {
                        stream.open();
                    }
                }
            })?;
        }
        Ok(watch)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Instant, Arc<Stream<io::Stdout>>)>> {
        self.current.lock().expect("nothing panics while it is held")
    }

    /// A document begins.
    fn begin(&self) -> Arc<Stream<io::Stdout>> {
        let stream = Arc::new(Stream::new(io::stdout()));
        if self.after.is_zero() {
            stream.open();
        } else {
            *self.lock() = Some((Instant::now(), Arc::clone(&stream)));
        }
        stream
    }

    /// It has ended.
    fn end(&self) {
        *self.lock() = None;
    }
}

/// A panic's message can quote the document: the place is all that leaves the process.
pub(super) fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(io::stderr(), "panic at {place}");
    }));
}

/// The announced bytes, in one allocation. The parent has checked the size.
pub(super) fn read_document(input: &mut impl Read, size_bytes: u64) -> io::Result<Arc<[u8]>> {
    let size = usize::try_from(size_bytes).map_err(io::Error::other)?;
    // SAFETY: zeros are bytes.
    let mut file: Arc<[u8]> = unsafe { Arc::new_zeroed_slice(size).assume_init() };
    let bytes = Arc::get_mut(&mut file).expect("a new Arc has one owner");
    input.read_exact(bytes)?;
    Ok(file)
}

/// Thread pools by size, built when first asked for. Belongs to the thread it is used on, which has [`STACK_BYTES`].
#[derive(Debug, Default)]
pub(super) struct Scorer {
    pools: BTreeMap<usize, ThreadPool>,
}

impl Scorer {
    fn pool(&mut self, threads: usize) -> io::Result<&ThreadPool> {
        let threads = threads.clamp(1, MAX_THREADS);
        match self.pools.entry(threads) {
            Entry::Occupied(pool) => Ok(pool.into_mut()),
            Entry::Vacant(place) => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
                // One thread is this one; a thread belongs to one pool.
                let pool = if threads == 1 { pool.use_current_thread() } else { pool };
                Ok(place.insert(pool.build().map_err(io::Error::other)?))
            }
        }
    }

    /// Scores one document in this process, without a word before the end.
    pub(super) fn score_here(
        &mut self,
        file: Arc<[u8]>,
        settings: &Settings,
        threads: usize,
    ) -> io::Result<DocumentScore> {
        let pool = self.pool(threads)?;
        Ok(pool.install(|| score_or_say_why(file, settings, &|_| ())))
    }

    /// Scores one document and reports it; returns when its last frame is written.
    fn score(&mut self, file: Arc<[u8]>, setup: &Setup, threads: usize, watch: &Watch) -> io::Result<()> {
        let stream = watch.begin();
        let sink = |event: Event| {
            if let Event::Opened(info) = &event {
                allow_cpu(setup, threads, info.n_pages);
            }
            stream.send(event);
        };
        allow_cpu(setup, threads, 0);
        let score = self.pool(threads)?.install(|| score_or_say_why(file, &setup.settings, &sink));
        watch.end();
        stream.done(score)
    }
}

/// Moves the soft limit of CPU time to what the document may use from now on.
fn allow_cpu(setup: &Setup, threads: usize, n_pages: u32) {
    let limits = &setup.settings.limits;
    let wall_ms = limits.wall_ms + limits.wall_ms_per_page * u64::from(n_pages.min(limits.pages));
    let threads = u64::try_from(threads).unwrap_or(u64::MAX);
    let budget_ms = wall_ms.saturating_mul(u64::from(setup.limit_factor)).saturating_mul(threads);
    let seconds = (sys::cpu_time() + Duration::from_millis(budget_ms)).as_secs() + 1;
    // Refused by no kernel; and the parent's wall clock runs all the same.
    let _ = sys::set_limit(Resource::Cpu, seconds, None);
}

/// Scores, and makes a panic that left the scorer a state of the document.
fn score_or_say_why(file: Arc<[u8]>, settings: &Settings, sink: &(dyn Fn(Event) + Sync)) -> DocumentScore {
    let scored = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(debug_assertions)]
        if let Some(score) = super::hook::run(&file, sink) {
            return score;
        }
        score::score_with(file, settings, sink)
    }));
    scored.unwrap_or_else(|_| failed(State::Crashed, "the scorer panicked"))
}

/// A document of which nothing is known but how it ended.
pub(super) fn failed(state: State, reason: &str) -> DocumentScore {
    DocumentScore {
        state,
        state_reason: Some(reason.chars().take(120).collect()),
        info: DocumentInfo::default(),
        fonts: Vec::new(),
        pages: Vec::new(),
        findings: Vec::new(),
    }
}
