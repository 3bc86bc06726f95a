//! `toprope trust`: lets a project's own settings file loosen what protects the person, as long as its bytes stay.

use crate::failure::{Failure, FailureKind};
use crate::{person, show};
use ::daemon::config::{LOCAL_FILE, PROJECT_FILE};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::trust::Trusts;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Let a project's settings file loosen what protects you
///
/// A project's own settings may always tighten. To let them loosen something (switch Toprope off, lower a profile), trust
/// the file as it is now. A changed file is no longer trusted.
#[derive(Args)]
pub struct TrustArgs {
    /// The file; without it, the settings files of this project
    path: Option<PathBuf>,
    /// Show what is trusted
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Trust it no longer
    #[arg(long)]
    revoke: bool,
    /// One JSON object per line, with `--list`
    #[arg(long, requires = "list")]
    json: bool,
}

impl TrustArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let home = Home::of(environment);
        let trusts = Trusts::of(&home);
        if self.list {
            return list(&trusts, self.json);
        }
        person::must_be_a_person(environment)?;
        let files = self.files(environment, &trusts)?;
        home.make()?;
        for file in files {
            if self.revoke {
                revoke(&trusts, &file)?;
            } else {
                trust(&trusts, &file)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn files(&self, environment: &Environment, trusts: &Trusts) -> Result<Vec<PathBuf>, Failure> {
        let trusted: Vec<PathBuf> = match trusts.list() {
            Ok(trusted) => trusted.into_iter().map(|trust| trust.path).collect(),
            Err(_) => Vec::new(),
        };
        if let Some(path) = &self.path {
            let file = named(path)?;
            let stored = [Some(file.clone()), fs_err::canonicalize(path).ok()];
            let stored = stored.into_iter().flatten().find(|file| trusted.contains(file));
            return Ok(vec![stored.filter(|_| self.revoke).unwrap_or(file)]);
        }
        let root = super::config::places(environment)
            .project_root
            .unwrap_or_default();
        // Trust outlives its file, and can be taken back without it.
        let files: Vec<PathBuf> = [PROJECT_FILE, LOCAL_FILE]
            .iter()
            .map(|name| root.join(name))
            .filter(|file| file.exists() || (self.revoke && trusted.contains(file)))
            .collect();
        if files.is_empty() {
            return Err(Failure::saying(
                FailureKind::NoMatch,
                format!("{} has no settings file to trust", root.display()),
            )
            .hint("toprope config path"));
        }
        Ok(files)
    }
}

/// The file as the daemon names it: in its folder's real place, and itself even where it is a link.
fn named(path: &Path) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(path)?;
    let real = path
        .parent()
        .zip(path.file_name())
        .and_then(|(folder, name)| Some(fs_err::canonicalize(folder).ok()?.join(name)));
    Ok(real.unwrap_or(path))
}

fn trust(trusts: &Trusts, file: &Path) -> Result<(), Failure> {
    trusts.trust(file, &fs_err::read(file)?)?;
    show::line(&format!("trusted {} as it is now", file.display()));
    Ok(())
}

fn revoke(trusts: &Trusts, file: &Path) -> Result<(), Failure> {
    let was = trusts.revoke(file)?;
    let said = if was {
        "no longer trusted"
    } else {
        "was not trusted"
    };
    show::line(&format!("{} {said}", file.display()));
    Ok(())
}

fn list(trusts: &Trusts, json: bool) -> Result<ExitCode, Failure> {
    let trusted = match trusts.list() {
        Ok(trusted) => trusted,
        Err(store::StoreError::NotThere { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for trust in &trusted {
        if json {
            let line = serde_json::json!({
                "path": trust.path.to_string_lossy(),
                "sha256": trust.sha256.to_string(),
                "at": trust.granted_at.0,
            });
            show::json(&line)?;
        } else {
            show::line(&trust.path.display().to_string());
        }
    }
    if trusted.is_empty() && !json {
        show::talk("nothing is trusted");
    }
    Ok(ExitCode::SUCCESS)
}
