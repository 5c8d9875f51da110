//! LZWDecode (ISO 32000-2, 7.4.4).

use std::cell::RefCell;

use weezl::decode::Decoder;
use weezl::{BitOrder, LzwStatus};

use super::End;

thread_local! {
    /// Without and with `/EarlyChange`; their tables are large, hence kept.
    static STATES: RefCell<[Option<Decoder>; 2]> = const { RefCell::new([None, None]) };
}

/// Decodes into `out` (empty), never past `cap_bytes`. A missing end-of-data code is no damage.
pub(super) fn decode(mut input: &[u8], early_change: bool, cap_bytes: usize, out: &mut Vec<u8>) -> End {
    let mut chunk = [0; 8 << 10];
    STATES.with_borrow_mut(|states| {
        let state = states[usize::from(early_change)].get_or_insert_with(|| match early_change {
            true => Decoder::with_tiff_size_switch(BitOrder::Msb, 8),
            false => Decoder::new(BitOrder::Msb, 8),
        });
        state.reset();
        loop {
            let step = state.decode_bytes(input, &mut chunk);
            input = &input[step.consumed_in..];
            out.extend_from_slice(&chunk[..step.consumed_out]);
            if out.len() > cap_bytes {
                out.truncate(cap_bytes);
                return End::OverLimit;
            }
            match step.status {
                Ok(LzwStatus::Done | LzwStatus::NoProgress) => return End::Complete,
                Ok(LzwStatus::Ok) => {}
                Err(_) => return End::Damaged,
            }
        }
    })
}
