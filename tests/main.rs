mod isolation;
mod layering;
