//! What `--help` says.

use crate::site::world;

#[test]
fn help_says_what_init_and_uninstall_do() {
    let world = world();
    assert_shown!(world, world.toprope(&["init", "--help"]).whole(), @"
    exit 0
    --- stdout
    Install the hook in the agent's settings, and check that it answers

    Writes one entry per event into the settings file of the chosen scope and changes nothing else in it; `toprope uninstall` puts the file back as it was. Then it starts the daemon and sends a probe through the installed command line. Running it again repairs what is missing, and says so if nothing is.

    Usage: toprope init [OPTIONS]

    Options:
          --scope <SCOPE>
              Whose settings: `local` is you in this repository, `project` everybody who works in it, `user` you everywhere

              Without it: `local`, or `user` where the repository has linked worktrees, because the client reads a repository's settings only from the worktree it runs in.

              [possible values: local, project, user]

          --agent <AGENT>
              Which agent's settings

              [default: claude-code]
              [possible values: claude-code]

          --profile <PROFILE>
              Also choose the profile for this project, in your own settings

              [possible values: observe, standard, strict]

          --dry-run
              Say what would change, and change nothing

          --force
              Install although hooks are switched off in the settings, and take a daemon or a probe that fails for a note

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    assert_shown!(world, world.toprope(&["uninstall", "--help"]).whole(), @"
    exit 0
    --- stdout
    Take the hook out of the agent's settings, and put every file back as it was

    Looks into your own settings, the project's and your own for this project. A file that nobody else changed since is restored byte for byte, from any other exactly our entries go. What was recorded stays, unless `--purge` is given.

    Usage: toprope uninstall [OPTIONS]

    Options:
          --scope <SCOPE>
              Only the settings of this scope

              [possible values: local, project, user]

          --dry-run
              Say what would change, and change nothing

          --purge
              Also stop the daemon and remove all that Toprope stored, the checkpoints of every project and its own settings among it; needs `--yes`

          --purge-checkpoints
              Also remove the checkpoints of this project, with what holds commits for them; without it a person is asked

          --yes
              Yes, remove it

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_says_what_doctor_does() {
    let world = world();
    assert_shown!(world, world.toprope(&["doctor", "--help"]).whole(), @"
    exit 0
    --- stdout
    Examine the installation, the daemon and the record, and say what to do

    Each line is `ok`, `warn` or `fail`, with one hint that can be pasted. Exits with 0 if all is well, 10 if there are warnings, 11 if something does not work.

    Usage: toprope doctor [OPTIONS]

    Options:
          --fix
              Repair what can be repaired, then look

          --fire
              Also send a probe through the command line of every settings file

          --deep
              Check the whole database instead of a sample; takes seconds if it is large

          --compact
              Return the database's free space to the disk, then look

          --json
              One JSON object: `state`, `fixed` and `checks`

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}
