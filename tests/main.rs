mod closing;
mod isolation;
mod layering;
mod ocr_requests;
mod synthetic;
mod tables;
mod world;
