//! Whether the configuration means what it says.

use crate::configuration;
use crate::doctor::Finding;
use crate::doctor::machine::Machine;
use crate::render::path::safe;
use crate::render::visible;

const CHECK: &str = "configuration";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let context = machine.context;
    let path = safe(&context.places.configuration);
    let mut findings = Vec::new();
    if let Err(error) = configuration::read(&context.environment) {
        let what = format!("{path} can't be read: {error}");
        findings.push(Finding::attention(
            CHECK,
            what,
            "nothing but `config` and `doctor` works until it can be",
        ));
    }
    for problem in &context.configuration.problems {
        let what = format!("{path}:{}", visible(&problem.to_string()));
        let finding = if problem.is_warning {
            Finding::note(CHECK, what, "it is ignored")
        } else {
            Finding::attention(
                CHECK,
                what,
                "nothing but `config` and `doctor` works until it is mended",
            )
        };
        findings.push(finding.mended_by("sexton config edit"));
    }
    let problems = context.config_dirs.problems.iter();
    findings.extend(problems.map(|problem| {
        let what = format!("failed to {}", visible(&problem.to_string()));
        Finding::attention(CHECK, what, "the sessions in it are not seen").mended_by("sexton config edit")
    }));
    findings
}
