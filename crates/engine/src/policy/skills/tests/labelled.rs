//! A list of prompts as people write them, each with the skills that would help: most of what is suggested must be among
//! them.

use super::*;

/// Skills as projects have them.
const SKILLS: &[(&str, &str)] = &[
    ("changelog", "Write an entry for the changelog in the house style"),
    (
        "code-review",
        "Review a pull request for correctness, naming and missing tests",
    ),
    (
        "database-migrations",
        "Create and check schema migrations for PostgreSQL",
    ),
    (
        "deploy-staging",
        "Deploy the backend to the staging cluster with helm",
    ),
    (
        "frontend-components",
        "Build React components with our design tokens and storybook",
    ),
    (
        "incident-report",
        "Write the report after an outage with timeline and follow-ups",
    ),
    ("load-testing", "Measure latency and throughput with k6 scenarios"),
    ("pdf-forms", "Fill and extract fields of PDF forms"),
    ("release-notes", "Summarise merged pull requests for customers"),
    (
        "terraform-modules",
        "Add or change infrastructure modules and plan them",
    ),
    (
        "translations",
        "Extract and update translated strings for all locales",
    ),
    ("typescript-errors", "Model failures as tagged errors with Effect"),
];

/// What people ask, and what would help.
const PROMPTS: &[(&str, &[&str])] = &[
    ("add a changelog entry for the parser fix", &["changelog"]),
    ("please do a code review of this branch", &["code-review"]),
    ("review the pull request for missing tests", &["code-review"]),
    (
        "we need schema migrations for the orders table",
        &["database-migrations"],
    ),
    (
        "create a postgresql migration that drops the column",
        &["database-migrations"],
    ),
    ("deploy the backend to staging", &["deploy-staging"]),
    ("why does helm fail on the staging cluster?", &["deploy-staging"]),
    (
        "build a react component for the price tag",
        &["frontend-components"],
    ),
    (
        "the design tokens of this button are wrong",
        &["frontend-components"],
    ),
    ("write the incident report for yesterday", &["incident-report"]),
    ("collect a timeline of the outage", &["incident-report"]),
    (
        "do some load testing against the search endpoint",
        &["load-testing"],
    ),
    ("measure latency of the login with k6", &["load-testing"]),
    ("extract the fields of this pdf form", &["pdf-forms"]),
    ("draft release notes for 2.4", &["release-notes"]),
    ("summarise what we merged for customers", &["release-notes"]),
    (
        "change the terraform module for the bucket",
        &["terraform-modules"],
    ),
    (
        "plan the infrastructure change for the new region",
        &["terraform-modules"],
    ),
    ("update the translated strings", &["translations"]),
    ("extract strings for the german locale", &["translations"]),
    ("model this failure as a tagged error", &["typescript-errors"]),
    ("fix the typescript errors in the client", &["typescript-errors"]),
    // Nothing of this needs a skill.
    ("fix the failing test in parser.rs", &[]),
    ("rename the variable in the loop", &[]),
    ("why is this function slow?", &[]),
    ("explain what this module does", &[]),
    ("add a flag to skip the cache", &[]),
    ("the build is broken on main, have a look", &[]),
    ("move this helper into its own file", &[]),
    ("write a unit test for the date parser", &[]),
    ("run the tests and fix what fails", &[]),
    ("commit this and push the branch", &[]),
    ("the border of the dialog is too thick", &[]),
    ("what did you change in the last turn?", &[]),
    ("remove dead code from the engine", &[]),
    ("update the readme", &[]),
    ("handle the error when the file is missing", &[]),
    ("make the log shorter", &[]),
    ("check whether the database connection is closed", &[]),
    ("create a new component for parsing", &[]),
];

#[test]
fn nine_of_ten_suggestions_help_and_most_that_would_help_are_made() {
    let skills = SKILLS.iter().map(|(name, about)| skill(name, about, &[]));
    let catalogue = Catalogue::new(skills.collect(), &BTreeMap::new());
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (prompt, helpful) in PROMPTS {
        let found = fitting(prompt, &catalogue).into_iter().take(MOST_SHOWN);
        let found: Vec<String> = found.map(|one| one.name).collect();
        for name in &found {
            if helpful.contains(&name.as_str()) {
                right += 1;
            } else {
                wrong.push(format!("{prompt}: {name}"));
            }
        }
        let unmet = helpful
            .iter()
            .filter(|name| !found.iter().any(|found| found == *name));
        missed.extend(unmet.map(|name| format!("{prompt}: {name}")));
    }
    assert!(right >= 9 * wrong.len(), "{right} right, wrong: {wrong:#?}");
    assert!(right >= 4 * missed.len(), "{right} right, missed: {missed:#?}");
}
