use super::*;
use std::os::unix::fs::PermissionsExt;

fn home(variables: &[(&str, &str)]) -> Home {
    Home::of(&Environment::of(variables))
}

#[test]
fn the_folder_follows_the_environment_from_the_most_to_the_least_particular() {
    let all = [("TOPROPE_HOME", "/t"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
    assert_eq!(home(&all).folder(), Path::new("/t"));
    assert_eq!(home(&all[1..]).folder(), Path::new("/x/toprope"));
    assert_eq!(home(&all[2..]).folder(), Path::new("/h/.local/state/toprope"));
    let uid = rustix::process::getuid().as_raw();
    assert_eq!(
        home(&[]).folder(),
        Path::new(&format!("/tmp/toprope-{uid}/state"))
    );
    assert_eq!(
        home(&[("TOPROPE_HOME", "relative"), ("HOME", "/h")]).folder(),
        Path::new("/h/.local/state/toprope")
    );
}

#[test]
fn two_state_folders_never_share_a_socket() {
    let runtime = ("XDG_RUNTIME_DIR", "/run/user/7");
    let one = home(&[("TOPROPE_HOME", "/a"), runtime]);
    let two = home(&[("TOPROPE_HOME", "/b"), runtime]);
    assert_ne!(one.socket(), two.socket());
    assert!(one.socket().starts_with("/run/user/7/toprope"));
    assert!(one.socket().to_string_lossy().ends_with("-v1.sock"));
}

#[test]
fn a_path_too_long_for_a_socket_moves_the_socket_only() {
    let deep = format!("/{}", "d".repeat(150));
    let home = home(&[("TOPROPE_HOME", &deep)]);
    assert!(home.socket().as_os_str().len() <= LONGEST_SOCKET_PATH);
    assert_eq!(home.folder(), Path::new(&deep));
}

#[test]
fn a_folder_others_could_enter_is_closed_before_use() {
    let world = tempfile::tempdir().unwrap();
    let folder = world.path().join("state");
    fs_err::create_dir(&folder).unwrap();
    fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    make_private(&folder).unwrap();
    assert_eq!(fs_err::metadata(&folder).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn whatever_has_a_place_in_the_state_folder_belongs_to_us() {
    let home = home(&[("TOPROPE_HOME", "/t"), ("XDG_RUNTIME_DIR", "/run/user/7")]);
    let belongings = home.belongings();
    let places = [
        home.database(),
        home.daemon_lock(),
        home.launch_lock(),
        home.daemon_log(),
        home.spool(),
        home.backups(),
        home.told(),
        home.disabled(),
        home.trust_stamp(),
        home.socket().to_owned(),
    ];
    for place in places {
        assert!(belongings.contains(&place), "{}", place.display());
    }
    let elsewhere = belongings.iter().filter(|path| !path.starts_with("/t"));
    assert_eq!(elsewhere.collect::<Vec<_>>(), [home.socket()]);
}
