//! Every setting there is, in the order people read them.

use super::{Key, Kind, Mode, Profile, Restraint, Slot};

/// All settings. A new one is a field, its built-in values in `Settings::of`, and an entry here.
pub const KEYS: &[Key] = &[
    Key {
        name: "enabled",
        kind: Kind::Bool,
        restraint: Restraint::NoLowering,
        doc: "Whether Toprope is on here at all.",
        slot: |settings| Slot::Bool(&mut settings.enabled),
    },
    Key {
        name: "profile",
        kind: Kind::Word(Profile::WORDS),
        restraint: Restraint::NoLowering,
        doc: "The set of defaults: `observe` records and says nothing, `strict` enforces every gate.",
        slot: |settings| Slot::Profile(&mut settings.profile),
    },
    Key {
        name: "protected_branches",
        kind: Kind::Words,
        restraint: Restraint::NoRemoving,
        doc: "Branches nobody should rewrite, `*` for any text; the remote's default branch always counts.",
        slot: |settings| Slot::Words(&mut settings.protected_branches),
    },
    Key {
        name: "context.budget",
        // The client cuts at 10,000; 500 of that stay free for what it adds itself.
        kind: Kind::Int { min: 500, max: 9_500 },
        restraint: Restraint::Free,
        doc: "Most text sent to an agent in one reply, in UTF-16 code units; what does not fit comes later.",
        slot: |settings| Slot::Int(&mut settings.context.budget),
    },
    Key {
        name: "structure.mode",
        kind: Kind::Word(Mode::WORDS),
        restraint: Restraint::Free,
        doc: "Whether a session starts with the project's state; `enforce` means `advise` here.",
        slot: |settings| Slot::Mode(&mut settings.structure.mode),
    },
    Key {
        name: "structure.max_chars",
        kind: Kind::Int { min: 200, max: 8_000 },
        restraint: Restraint::Free,
        doc: "Most characters of the project's state.",
        slot: |settings| Slot::Int(&mut settings.structure.max_chars),
    },
    Key {
        name: "structure.timeout_ms",
        kind: Kind::Int { min: 10, max: 5_000 },
        restraint: Restraint::Free,
        doc: "Milliseconds git may take for the project's state; what is not there by then is left out.",
        slot: |settings| Slot::Int(&mut settings.structure.timeout_ms),
    },
    Key {
        name: "log.keep_days",
        kind: Kind::Int { min: 1, max: 3_650 },
        restraint: Restraint::Shared,
        doc: "Days an event is kept.",
        slot: |settings| Slot::Int(&mut settings.log.keep_days),
    },
    Key {
        name: "log.max_mib",
        kind: Kind::Int {
            min: 16,
            max: 1_048_576,
        },
        restraint: Restraint::Shared,
        doc: "Size of the database above which the oldest payloads go, then the oldest rows.",
        slot: |settings| Slot::Int(&mut settings.log.max_mib),
    },
    Key {
        name: "log.payload_kib",
        kind: Kind::Int { min: 1, max: 32_768 },
        restraint: Restraint::Free,
        doc: "Payloads above this size keep only head, tail, length and hash.",
        slot: |settings| Slot::Int(&mut settings.log.payload_kib),
    },
    Key {
        name: "daemon.idle_minutes",
        kind: Kind::Int { min: 1, max: 10_080 },
        restraint: Restraint::Shared,
        doc: "Minutes without a session after which the daemon ends; the next hook starts it again.",
        slot: |settings| Slot::Int(&mut settings.daemon.idle_minutes),
    },
];
