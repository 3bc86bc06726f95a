//! Every committed fuzz input for the installer keeps its promises.

use testkit::corpus::replay;

#[path = "../../../../../fuzz/src/settings.rs"]
mod settings;

#[test]
fn hostile_settings_are_left_alone_or_come_back_byte_for_byte() {
    replay("settings", settings::check);
}
