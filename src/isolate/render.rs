//! Pages as pictures, drawn in the same kind of child that scores.
//!
//! ```text
//! parent ──Setup (RenderOrder)──Document + bytes──► child ──Page (RenderedPage) …──► parent
//! ```
//!
//! One child a document, and none of it is trusted: the parent bounds time, frames and bytes, and a child that dies leaves
//! the pages that arrived.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Rotation;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use serde::{Deserialize, Serialize};

use super::frame::{self, Header, Kind};
use super::spawn::{Role, Spawner};
use super::{child, sandbox};
use crate::score::Limits;
use crate::score::pdf::Document;
use crate::score::text::{FontCache, measure};

/// Width of a picture, in pixels.
const WIDTH: f32 = 760.0;
/// Highest picture, in pixels: what is beyond makes the picture narrower.
const MAX_HEIGHT: f32 = 1400.0;
/// Longest text layer of a page, in characters.
const MAX_TEXT: usize = 4000;
/// Address space of a child that draws.
const ADDRESS_SPACE: u64 = 2 << 30;

/// What a child is to draw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RenderOrder {
    /// 1-based.
    pages: Vec<u32>,
    limits: Limits,
}

/// One page as it is seen, and the text it claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RenderedPage {
    /// 1-based page number.
    pub page: u32,
    /// The picture, a PNG in base64; empty where it could not be drawn.
    pub png_base64: String,
    /// Width and height of the crop box in points, before rotation.
    pub size: [f32; 2],
    /// Quarter turns clockwise that the page is shown with: 0 to 3.
    pub quarter_turns: u8,
    /// The text layer as a conformant extractor gives it, in content order; a code without Unicode is U+FFFD.
    pub text: String,
}

/// Draws pages of one document; gives those that arrived within `time`.
///
/// # Errors
/// When no child can be started.
pub fn render_pages(
    program: PathBuf,
    file: Arc<[u8]>,
    pages: &[u32],
    limits: &Limits,
    time: Duration,
) -> io::Result<Vec<RenderedPage>> {
    let spawner = Spawner::new(program)?;
    let mut child = spawner.start(Role::Draws, ADDRESS_SPACE)?;
    let order = RenderOrder { pages: pages.to_vec(), limits: limits.clone() };
    let rendered = hear(&mut child, order, file, pages, time);
    let _ = child.kill(); // it may have ended by itself
    child.wait()?;
    Ok(rendered)
}

fn hear(
    child: &mut Child,
    order: RenderOrder,
    file: Arc<[u8]>,
    pages: &[u32],
    time: Duration,
) -> Vec<RenderedPage> {
    let mut stdin = child.stdin.take().expect("the spawner pipes it");
    let mut stdout = child.stdout.take().expect("the spawner pipes it");
    // Writing and reading end with the child: killing it ends both threads.
    std::thread::spawn(move || {
        let header = Header { size_bytes: file.len() as u64, threads: 1 };
        let sent = frame::write(&mut stdin, Kind::Setup, &order)
            .and_then(|()| frame::write(&mut stdin, Kind::Document, &header))
            .and_then(|()| stdin.write_all(&file));
        drop(sent); // a child that no longer listens shows by its end
    });
    let (send, arrived) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        while let Ok(Some(page)) = frame::read::<RenderedPage>(&mut stdout, Kind::Page) {
            if send.send(page).is_err() {
                return;
            }
        }
    });
    let deadline = Instant::now() + time;
    let mut rendered: Vec<RenderedPage> = Vec::new();
    while let Ok(page) = arrived.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        // What a child says may be anything.
        let asked = pages.contains(&page.page) && rendered.iter().all(|known| known.page != page.page);
        let is_png =
            STANDARD.decode(&page.png_base64).is_ok_and(|png| png.is_empty() || png.starts_with(b"\x89PNG"));
        let sized =
            page.size.iter().all(|points| points.is_finite() && *points > 0.0) && page.quarter_turns < 4;
        if !(asked && is_png && sized) {
            break;
        }
        rendered.push(RenderedPage { text: page.text.chars().take(MAX_TEXT).collect(), ..page });
        if rendered.len() == pages.len() {
            break;
        }
    }
    rendered
}

/// The child's side: reads one order and one document, answers with pages.
///
/// # Errors
/// When a limit cannot be set, when the parent does not speak the protocol, or is gone.
pub fn run(args: super::ChildArgs) -> io::Result<()> {
    child::quiet_panics();
    sandbox::enter(args.address_space)?;
    let mut input = io::BufReader::new(io::stdin());
    let Some(order) = frame::read::<RenderOrder>(&mut input, Kind::Setup)? else { return Ok(()) };
    let Some(header) = frame::read::<Header>(&mut input, Kind::Document)? else { return Ok(()) };
    let file = child::read_document(&mut input, header.size_bytes)?;
    // Deep content recurses; the main thread's stack is the system's choice.
    let drawing =
        std::thread::Builder::new().stack_size(child::STACK_BYTES).spawn(move || draw(&file, &order))?;
    drawing.join().map_err(|_| io::Error::other("drawing panicked"))?
}

fn draw(file: &Arc<[u8]>, order: &RenderOrder) -> io::Result<()> {
    let texts = texts(file, order);
    let Ok(pdf) = Pdf::new(file.to_vec()) else { return Ok(()) };
    let cache = RenderCache::new();
    let settings = InterpreterSettings::default();
    for (&number, text) in order.pages.iter().zip(texts) {
        let Some(page) = pdf.pages().get(number.saturating_sub(1) as usize) else { continue };
        let (width, height) = page.render_dimensions();
        let crop_box = page.intersected_crop_box();
        let size = [(crop_box.x1 - crop_box.x0) as f32, (crop_box.y1 - crop_box.y0) as f32];
        let scale = (WIDTH / width).min(MAX_HEIGHT / height);
        let png = if scale.is_finite() && scale > 0.0 {
            let pixels = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
            let picture = render(page, &cache, &settings, &RenderSettings::default(), &pixels);
            picture.into_png().unwrap_or_default()
        } else {
            Vec::new()
        };
        let quarter_turns = match page.rotation() {
            Rotation::None => 0,
            Rotation::Horizontal => 1,
            Rotation::Flipped => 2,
            Rotation::FlippedHorizontal => 3,
        };
        let page = RenderedPage { page: number, png_base64: STANDARD.encode(png), size, quarter_turns, text };
        frame::write(&mut io::stdout(), Kind::Page, &page)?;
    }
    Ok(())
}

/// The text layers of the ordered pages, empty where the scorer cannot read them.
fn texts(file: &Arc<[u8]>, order: &RenderOrder) -> Vec<String> {
    let Ok(document) = Document::open(Arc::clone(file), &order.limits) else {
        return vec![String::new(); order.pages.len()];
    };
    let fonts = FontCache::new(&document);
    let pages = document.pages();
    let text = |number: &u32| {
        let Some(page) = pages.iter().find(|page| page.index + 1 == *number) else { return String::new() };
        let measured = measure(&document, page, &fonts);
        let (mut text, mut baseline) = (String::new(), None);
        for run in &measured.runs {
            let line = run.from[1].round() as i64;
            if baseline.is_some_and(|before: i64| before.abs_diff(line) > 2) {
                text.push('\n');
            } else if run.gap_before && !text.is_empty() {
                text.push(' ');
            }
            baseline = Some(line);
            let said = measured.text(run);
            // Codes that say nothing are shown as such: an extractor leaves them out, or prints this.
            let silent = measured.codes(run).len().saturating_sub(said.chars().count());
            text.push_str(said);
            if !run.actual_text {
                text.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, silent));
            }
            if text.chars().count() >= MAX_TEXT {
                break;
            }
        }
        text.chars().take(MAX_TEXT).collect()
    };
    order.pages.iter().map(text).collect()
}
