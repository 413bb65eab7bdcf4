//! The page of a profile for a browser: gathers what it shows, keeps it and opens it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use workspan_format::replace_file;
use workspan_model::{
    Analysis, Code, Dag, Execution, Profile, SiteRow, Sweep, analyse_with_dag, ready_changes,
    site_rows, source_files,
};
use workspan_report::{Against, CodeView, Page, PageDag};

use crate::goal::default_goal;
use crate::kept;
use crate::machine_costs;
use crate::message;
use crate::source_files::{Origin, Source, Sources, not_allowed};
use crate::stored;
use crate::sweep::{self, Figures};

/// Numbers of cores that what-if on the page computes speedups for, besides the assumed number.
const CORES: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// The options of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct PageOptions {
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Where source files may lie beside the present folder, the profile's project and what cargo has downloaded; may be
    /// repeated
    #[arg(long, value_name = "DIR", value_parser = absolute)]
    pub(crate) source_root: Vec<PathBuf>,
    /// Leave the source out of the page and of the report
    #[arg(long)]
    pub(crate) no_source: bool,
    /// Show on the page what this sweep of `workspan scale` has measured [default: the one kept beside the profile]
    #[arg(long, value_name = "FILE.sweep.json", value_parser = absolute)]
    pub(crate) sweep: Option<PathBuf>,
    /// Show on the page how the flame graph differs from that of an earlier profile
    #[arg(long, value_name = "OLD.wsp", value_parser = absolute)]
    pub(crate) against: Option<PathBuf>,
}

/// Makes a path absolute, because cargo runs tests in other folders.
fn absolute(path: &str) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Creates the folder of the page.
pub(crate) fn make_folder_of(page: &Path) -> anyhow::Result<()> {
    let Some(folder) = page.parent() else {
        return Ok(());
    };
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// Keeps the page of the profile in `file`, and returns its path.
pub(crate) fn keep(file: &Path, results: &Results<'_>) -> anyhow::Result<PathBuf> {
    let page = kept::page_of(file);
    make_folder_of(&page)?;
    replace_file(&page, results.page()).with_context(|| page.display().to_string())?;
    Ok(page)
}

/// A profile, with its analysis and its page, which are computed when they are first used.
pub(crate) struct Results<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) dag: Option<&'a Dag>,
    /// The file of the profile, which need not exist yet.
    file: &'a Path,
    /// Whether this process measured the profile, and did not read it from a file.
    is_measured: bool,
    /// What the user is to give `workspan report` for it; `None` if it is not kept.
    pub(crate) kept_in: Option<String>,
    options: &'a PageOptions,
    analysis: OnceCell<Analysis>,
    page: OnceCell<Vec<u8>>,
}

impl<'a> Results<'a> {
    /// `is_measured`: whether this process measured the profile, and did not read it from a file.
    pub(crate) fn new(
        profile: &'a Profile,
        dag: Option<&'a Dag>,
        file: &'a Path,
        is_measured: bool,
        options: &'a PageOptions,
    ) -> Self {
        Self {
            profile,
            dag,
            file,
            is_measured,
            kept_in: None,
            options,
            analysis: OnceCell::new(),
            page: OnceCell::new(),
        }
    }

    /// These, of a profile that `file` keeps, as seen from the user's folder.
    pub(crate) fn kept_in(self, file: &str) -> Self {
        Self {
            kept_in: Some(message::in_shell(Path::new(file))),
            ..self
        }
    }

    /// These, of a profile that is the newest of those kept.
    pub(crate) fn kept_as_newest(self) -> Self {
        Self {
            kept_in: Some(String::new()),
            ..self
        }
    }

    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis
            .get_or_init(|| analyse_with_dag(self.profile, self.dag))
    }

    /// Where sources may be read; `None` if they are not to be shown.
    pub(crate) fn sources(&self) -> Option<Sources> {
        let origin = match self.is_measured {
            true => Origin::Measured,
            false => Origin::Stored(&self.options.source_root),
        };
        let sources = Sources::around(self.file, origin).ok();
        sources.filter(|_| !self.options.no_source)
    }

    pub(crate) fn page(&self) -> &[u8] {
        self.page.get_or_init(|| self.render())
    }

    fn render(&self) -> Vec<u8> {
        let profile = self.profile;
        let sources = self.sources();
        let sources = sources.map_or_else(BTreeMap::new, |folders| texts(profile, &folders));
        let what_if = self.dag.map(|dag| {
            let code = Code::new(profile, dag);
            let (costs, _) = machine_costs::of_scheduling(&profile.run);
            let cores = cores(profile);
            let execution = Execution::new(profile, dag, &costs, &cores);
            let (findings, goal) = (&self.analysis().findings, default_goal(profile, dag));
            let ready = ready_changes(dag, &code, findings, goal, execution);
            (dag, code, ready)
        });
        let hot = BTreeMap::new();
        let dag = what_if.as_ref().map(|(dag, code, ready)| PageDag {
            dag,
            code: CodeView {
                profile,
                code,
                hot: &hot,
                sources: &sources,
                span: self.analysis().totals.span,
                is_truncated: dag.is_truncated,
            },
            ready: ready.as_deref(),
        });
        let sweep = self.sweep();
        let figures = sweep.as_ref().map(|sweep| Figures::new(sweep, None));
        let report = figures.as_ref().zip(sweep.as_ref());
        let report = report.map(|(figures, sweep)| figures.report(sweep));
        let against = self.against();
        let page = Page {
            profile,
            analysis: self.analysis(),
            dag,
            sources: &sources,
            scaling: report.as_ref(),
            against: against.as_ref().map(Earlier::view),
            file: &shown_file(self.file),
        };
        let mut bytes = Vec::new();
        page.render(&mut bytes).expect("writing to memory");
        bytes
    }

    /// The earlier profile, if the page is to show one.
    fn against(&self) -> Option<Earlier> {
        let file = self.options.against.as_ref()?;
        let (profile, dag) = stored::read(file)
            .inspect_err(|error| {
                message::warning(format_args!("the page shows no differences: {error:#}"));
            })
            .ok()?;
        if profile.run.metric != self.profile.run.metric {
            message::warning(format_args!(
                "the page shows no differences: {} is of {}, and this profile of {}",
                file.display(),
                profile.run.metric.name,
                self.profile.run.metric.name
            ));
            return None;
        }
        Some(Earlier {
            rows: site_rows(&profile),
            file: shown_file(file),
            profile,
            dag,
        })
    }

    fn sweep(&self) -> Option<Sweep> {
        let given = self.options.sweep.as_deref();
        sweep::sweep_of(self.profile, self.file, given)
            .inspect_err(|error| {
                message::warning(format_args!("the page is without a sweep: {error:#}"));
            })
            .ok()?
    }
}

/// An earlier profile that the page compares with.
struct Earlier {
    profile: Profile,
    rows: Vec<SiteRow>,
    dag: Option<Dag>,
    file: String,
}

impl Earlier {
    fn view(&self) -> Against<'_> {
        Against {
            profile: &self.profile,
            rows: &self.rows,
            dag: self.dag.as_ref(),
            file: &self.file,
        }
    }
}

/// The path to show for `file`: relative to the current folder if it is below it.
fn shown_file(file: &Path) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(folder).unwrap_or(file);
    file.to_string_lossy().into_owned()
}

fn cores(profile: &Profile) -> Vec<u32> {
    let assumed = profile.run.assumed_cores;
    let cores = CORES.into_iter().chain((assumed > 1).then_some(assumed));
    cores.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The texts of the source files that are noteworthy and can be found in `folders`.
fn texts(profile: &Profile, folders: &Sources) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for file in source_files(profile) {
        if !file.is_noteworthy(profile.span) {
            continue;
        }
        match folders.find(&file.file) {
            Source::Found { text, changed_at } => {
                if changed_at > profile.run.started_at {
                    message::warning(format_args!(
                        "`{}` was changed after the profile was made: on the page, figures may stand beside other lines than theirs",
                        file.file
                    ));
                }
                texts.insert(file.file, text);
            }
            Source::Outside => message::warning(not_allowed(&file.file)),
            Source::Missing { .. } => {}
        }
    }
    texts
}

/// Opens `file` with the desktop's default program. If that fails, prints only a warning: the page
/// exists anyway.
pub(crate) fn open(file: &Path) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(opener)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        message::warning(format_args!(
            "cannot open {} by `{opener}`: {error}",
            file.display()
        ));
    }
}
