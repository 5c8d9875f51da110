//! Letters of a text → is it what is printed?
//!
//! Takes: text, per font with its codes or plain. Gives: what the letters say: plausible in a language, wrong by a
//! shift, a permutation, a code page, one letter, or not judged. Fails: never; too little text is not judged.
//! Never: decides a route; thresholds live beside their measurements here and in [`verdict`](crate::score::verdict).

pub mod chars;
pub mod cjk;
pub mod codepage;
pub mod fit;
pub mod judge;
pub mod model;
pub mod partial;
pub mod segment;
pub mod shift;
pub mod solve;
pub mod words;
