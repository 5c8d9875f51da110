//! Sorted sources → one sorted stream, holding one batch of each source.

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::interleave_record_batch;
use arrow::row::{RowConverter, Rows, SortField};

use super::TablesError;
use super::schema::Table;

/// Batches of one table, sorted within and among each other.
pub(super) type Source = Box<dyn Iterator<Item = Result<RecordBatch, TablesError>> + Send>;

/// Rows of a batch that goes out.
const OUT_ROWS: usize = 4096;

/// A source at one of its rows.
struct Cursor {
    source: Source,
    batch: RecordBatch,
    keys: Rows,
    row: usize,
    /// Where `batch` stands in [`Merge::pending`], once a row of it was picked.
    slot: Option<usize>,
}

/// Merges `sources` and hands batches of at most [`OUT_ROWS`] rows to `sink`. Rows with equal keys keep the sources' order.
pub(super) fn merge(
    table: Table,
    sources: Vec<Source>,
    sink: &mut dyn FnMut(RecordBatch) -> Result<(), TablesError>,
) -> Result<(), TablesError> {
    let mut merge = Merge::new(table, sources)?;
    while let Some(batch) = merge.next_batch()? {
        sink(batch)?;
    }
    Ok(())
}

struct Merge {
    sort: Vec<usize>,
    converter: RowConverter,
    cursors: Vec<Cursor>,
    /// Indexes into `cursors`, a binary heap with the smallest key first.
    heap: Vec<usize>,
    /// Batches that the next output takes rows of.
    pending: Vec<RecordBatch>,
    picks: Vec<(usize, usize)>,
}

impl Merge {
    fn new(table: Table, sources: Vec<Source>) -> Result<Self, TablesError> {
        let layout = table.layout();
        let fields =
            layout.sort.iter().map(|&index| SortField::new(layout.schema.field(index).data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        let mut merge = Self {
            sort: layout.sort.clone(),
            converter,
            cursors: Vec::with_capacity(sources.len()),
            heap: Vec::with_capacity(sources.len()),
            pending: Vec::new(),
            picks: Vec::with_capacity(OUT_ROWS),
        };
        for mut source in sources {
            if let Some((batch, keys)) = merge.pull(&mut source)? {
                merge.heap.push(merge.cursors.len());
                merge.cursors.push(Cursor { source, batch, keys, row: 0, slot: None });
            }
        }
        for start in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(start);
        }
        Ok(merge)
    }

    /// The next batch of a source that has rows, with its sort keys.
    fn pull(&self, source: &mut Source) -> Result<Option<(RecordBatch, Rows)>, TablesError> {
        for batch in source {
            let batch = batch?;
            if batch.num_rows() > 0 {
                let columns: Vec<ArrayRef> = self.sort.iter().map(|&i| batch.column(i).clone()).collect();
                let keys = self.converter.convert_columns(&columns)?;
                return Ok(Some((batch, keys)));
            }
        }
        Ok(None)
    }

    fn less(&self, a: usize, b: usize) -> bool {
        let (left, right) = (&self.cursors[a], &self.cursors[b]);
        (left.keys.row(left.row), a) < (right.keys.row(right.row), b)
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.less(self.heap[child], self.heap[least]) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, TablesError> {
        if let Some(rest) = self.rest_of_first()? {
            return Ok(Some(rest));
        }
        while self.picks.len() < OUT_ROWS
            && let Some(&first) = self.heap.first()
        {
            if self.cursors[first].row == 0 && self.leads(first) && !self.picks.is_empty() {
                break; // the next batch goes out as it is
            }
            let cursor = &mut self.cursors[first];
            let slot = *cursor.slot.get_or_insert_with(|| {
                self.pending.push(cursor.batch.clone());
                self.pending.len() - 1
            });
            self.picks.push((slot, cursor.row));
            cursor.row += 1;
            if cursor.row == cursor.batch.num_rows() {
                self.refill(first)?;
            }
            self.sift_down(0);
        }
        if self.picks.is_empty() {
            return Ok(None);
        }
        let batches: Vec<&RecordBatch> = self.pending.iter().collect();
        let batch = interleave_record_batch(&batches, &self.picks)?;
        self.pending.clear();
        self.picks.clear();
        self.cursors.iter_mut().for_each(|cursor| cursor.slot = None);
        Ok(Some(batch))
    }

    /// Whether all rows left of the first cursor's batch come before those of every other.
    fn leads(&self, first: usize) -> bool {
        let cursor = &self.cursors[first];
        let last = (cursor.keys.row(cursor.batch.num_rows() - 1), first);
        let others = self.heap.iter().skip(1).take(2); // the smaller child is the second smallest of all
        others
            .map(|&other| &self.cursors[other])
            .zip(self.heap.iter().skip(1))
            .all(|(other, &index)| last < (other.keys.row(other.row), index))
    }

    /// The rest of the first cursor's batch, where it needs no merging: rows of a long document, or of a snapshot in which
    /// little has changed, are passed on without being copied.
    fn rest_of_first(&mut self) -> Result<Option<RecordBatch>, TablesError> {
        let Some(&first) = self.heap.first() else { return Ok(None) };
        if !self.leads(first) {
            return Ok(None);
        }
        let cursor = &self.cursors[first];
        let rest = cursor.batch.slice(cursor.row, cursor.batch.num_rows() - cursor.row);
        self.refill(first)?;
        self.sift_down(0);
        Ok(Some(rest))
    }

    /// Gives the first cursor of the heap its next batch, or takes it out.
    fn refill(&mut self, first: usize) -> Result<(), TablesError> {
        let mut source = std::mem::replace(&mut self.cursors[first].source, Box::new(std::iter::empty()));
        match self.pull(&mut source)? {
            Some((batch, keys)) => self.cursors[first] = Cursor { source, batch, keys, row: 0, slot: None },
            None => {
                self.heap.swap_remove(0);
            }
        }
        Ok(())
    }
}
