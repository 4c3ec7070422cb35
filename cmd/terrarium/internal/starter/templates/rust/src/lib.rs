//! `agent` decides what to type, `wire` reads requests and writes answers.

pub mod agent;
mod json;
pub mod wire;
