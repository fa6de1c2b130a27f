//! Orders of groups and sizes of graphs.
