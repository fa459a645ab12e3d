//! The drivers that are part of the program, one file each under `harness/drivers`.

/// File name without `.md`, and text.
pub(super) const BUNDLED_DRIVERS: [(&str, &str); 8] = [
    (
        "chunk-and-map",
        include_str!("../../drivers/chunk-and-map.md"),
    ),
    (
        "deadline-return",
        include_str!("../../drivers/deadline-return.md"),
    ),
    (
        "delegation-first",
        include_str!("../../drivers/delegation-first.md"),
    ),
    (
        "exact-format",
        include_str!("../../drivers/exact-format.md"),
    ),
    (
        "exploration-budget",
        include_str!("../../drivers/exploration-budget.md"),
    ),
    (
        "hypothesis-budget",
        include_str!("../../drivers/hypothesis-budget.md"),
    ),
    ("reuse-state", include_str!("../../drivers/reuse-state.md")),
    (
        "verify-before-return",
        include_str!("../../drivers/verify-before-return.md"),
    ),
];
