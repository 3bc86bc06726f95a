//! What a cut costs, counted: how often git is run, and how often something is read or written. Never a time.

use crate::checkpoint::desk::Desk;
#[cfg(target_os = "linux")]
use crate::checkpoint::desk::reads_and_writes;

#[test]
fn a_checkpoint_of_files_that_calls_named_runs_no_git() {
    let mut desk = Desk::new(20);
    desk.cut(&["src/part3/4.txt".to_owned()]);
    let before = desk.git_runs();
    for number in 0..3 {
        desk.cut(&[
            format!("src/part3/{number}.txt"),
            format!("src/part{number}/7.txt"),
        ]);
    }
    let runs = desk.git_runs();
    assert_eq!(runs.get(before.len()..).unwrap(), [""; 0]);
}

/// What one checkpoint of these files reads and writes, after some that know the way.
#[cfg(target_os = "linux")]
fn cost(desk: &mut Desk, paths: &[String]) -> u64 {
    for number in 0..3 {
        desk.cut(&[format!("src/part0/{number}.txt")]);
    }
    let before = reads_and_writes();
    desk.cut(paths);
    reads_and_writes() - before
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_checkpoint_reads_and_writes_grows_with_its_files_and_not_with_the_repository() {
    let (mut small, mut large) = (Desk::new(10), Desk::new(300));
    let one = cost(&mut small, &["src/part3/7.txt".to_owned()]);
    assert!(one <= 90, "{one}");
    let same = cost(&mut large, &["src/part3/7.txt".to_owned()]);
    assert!(same <= one + 8, "{same}, in a small repository {one}");
    let many: Vec<String> = (0..70).map(|number| format!("src/part{number}/8.txt")).collect();
    let seventy = cost(&mut large, &many);
    assert!(seventy <= one + 70 * 8, "{seventy}, of one file {one}");
}
