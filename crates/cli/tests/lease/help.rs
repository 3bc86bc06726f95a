//! What `--help` says.

use crate::{assert_shown, world};

#[test]
fn help_says_what_leases_are_and_hides_whose_command_it_is() {
    let world = world();
    assert_shown!(world, world.toprope(&["lease", "--help"]), @"
    exit 0
    --- stdout
    Show, keep, give back and wait for files

    A file belongs to whoever writes it first, until that agent's turn ends: writing takes its lease, nobody has to ask for one. The next one is told who has it, and gets a place in line. An agent acts for itself only.

    Usage: toprope lease <COMMAND>

    Commands:
      list     Show who holds what
      reserve  Keep files for yourself, whether they are written or not
      release  Give back what you hold or reserved
      break    Take a file away from whoever holds it
      wait     Wait until a file is yours

    Options:
      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    let wait = world.toprope(&["lease", "wait", "--help"]);
    assert!(!wait.stdout.contains("--as"), "{}", wait.whole());
    assert_shown!(world, wait, @"
    exit 0
    --- stdout
    Wait until a file is yours

    An agent gets in line, and is done when the file is kept for it; where nobody has it, that is at once. A person waits until it is free. When the time is up, exits with 3; an agent keeps its place in line.

    Usage: toprope lease wait [OPTIONS] <PATH>

    Arguments:
      <PATH>
              The file

    Options:
          --timeout <SECONDS>
              How many seconds, at most 600
              
              [default: 120]

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}
