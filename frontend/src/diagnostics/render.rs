//! Stub.
/// Stub.
pub struct RenderStyle;
/// Stub.
pub fn render() {}
/// Stub.
pub fn render_short() {}
/// Stub.
pub fn summary_line() {}
