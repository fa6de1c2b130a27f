//! Codes found by this stage.

super::codes! {}
