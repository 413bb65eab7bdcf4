//! From the text that the engine writes to the figures that the oracle computes, through
//! `workspan-format` and `workspan-model`.

use std::collections::{BTreeMap, BTreeSet};

use workspan_format::raw::{self, Launch, RawProfile, RawSite};
use workspan_model::{Exit, Profile, SiteId, SiteKind, regions, site_rows, totals};
use workspan_testkit::{
    Construct, Figures, NodeFigures, NodeKey, RegionFigures, RegionSums, Site, SiteFigures, Totals,
};

use super::calls::site_of;

/// The contents of a raw profile.
pub struct Profiled {
    /// What reports are made of.
    pub profile: Profile,
    pub figures: Figures,
    /// Tasks that were stolen.
    pub stolen: u64,
    /// How far the span may be off, in ticks.
    pub open: i64,
    /// Stretches that were timed as a whole.
    pub stretches: i64,
    /// Weight of the samples at each node, on the work and on the span.
    pub samples: BTreeMap<NodeKey, (f64, f64)>,
}

/// The contents of a raw profile, or what is wrong with it.
pub fn profiled(text: &str) -> Result<Profiled, String> {
    let profile = raw::parse(text).map_err(|error| error.to_string())?;
    if profile.truncated_tree || profile.unfinished_tasks != 0 {
        return Err(format!(
            "truncated tree: {}, unfinished tasks: {}",
            profile.truncated_tree, profile.unfinished_tasks
        ));
    }
    let sites: Vec<Site> = profile
        .sites
        .iter()
        .skip(1)
        .map(site)
        .collect::<Result<_, _>>()?;
    if sites.iter().collect::<BTreeSet<_>>().len() != sites.len() {
        return Err(format!("a site has two numbers: {sites:?}"));
    }
    let keys = node_keys(&profile, &sites);
    let stolen = profile.nodes.iter().map(|node| node.work.stolen).sum();
    let open = profile.span_open_ticks;
    let stretches = profile
        .engine
        .iter()
        .filter(|count| count.name.ends_with("_stretches"))
        .map(|count| count.value)
        .sum();
    let samples = samples(&profile, &keys)?;
    let mut figures = Figures {
        totals: Totals::default(),
        regions: executions(&profile, &keys),
        region_sums: region_sums(&profile, &keys),
        nodes: nodes(&profile, &keys)?,
        sites: sites_from_nodes(&profile, &keys),
        constructs: BTreeMap::new(),
    };
    let named = profile.sites.iter().map(RawSite::to_site).collect();
    let profile = profile.into_profile(launch(), named);
    add_model(&mut figures, &profile, &sites)?;
    Ok(Profiled {
        profile,
        figures,
        stolen,
        open,
        stretches,
        samples,
    })
}

fn index_of_region(name: &str) -> Result<u8, String> {
    let index = name.strip_prefix("Region");
    let index = index.and_then(|index| index.parse().ok());
    index.ok_or_else(|| format!("unknown region {name}"))
}

fn site(raw: &RawSite) -> Result<Site, String> {
    if let Some(name) = &raw.name {
        return Ok(Site {
            construct: Construct::Region,
            index: index_of_region(name)?,
        });
    }
    raw.type_name
        .as_deref()
        .and_then(site_of)
        .ok_or_else(|| format!("unknown site {raw:?}"))
}

fn node_keys(profile: &RawProfile, sites: &[Site]) -> Vec<NodeKey> {
    let mut keys = vec![NodeKey::default()];
    for node in &profile.nodes[1..] {
        let site = sites[node.site as usize - 1];
        let parent = node.parent.expect("only the first node is the root");
        let mut key = keys[parent as usize].clone();
        if node.recursive {
            key.recursive = Some(site);
        } else {
            key.path.push(site);
        }
        keys.push(key);
    }
    keys
}

fn samples(
    profile: &RawProfile,
    keys: &[NodeKey],
) -> Result<BTreeMap<NodeKey, (f64, f64)>, String> {
    let mut samples: BTreeMap<NodeKey, (f64, f64)> = BTreeMap::new();
    for stack in &profile.stacks {
        if stack.on_span > stack.on_work {
            return Err(format!("more on the span than on the work: {stack:?}"));
        }
        let (on_work, on_span) = samples
            .entry(keys[stack.node as usize].clone())
            .or_default();
        *on_work += stack.on_work;
        *on_span += stack.on_span;
    }
    Ok(samples)
}

fn nodes(profile: &RawProfile, keys: &[NodeKey]) -> Result<BTreeMap<NodeKey, NodeFigures>, String> {
    let mut nodes = BTreeMap::new();
    for (key, node) in keys.iter().zip(&profile.nodes) {
        let figures = NodeFigures {
            local_work: node.work.local_ticks,
            count: node.work.count,
            top_count: node.work.top_count,
            top_span: node.work.top_span_ticks,
            spawns: node.work.spawns,
            syncs: node.work.syncs,
            local_span: node.span.local_ticks,
            count_on_span: node.span.count,
            own_span: node.work.local_span_ticks,
            top_count_on_span: node.span.top_count,
            top_work_on_span: node.span.top_work_ticks,
            local_work_on_span: node.span.local_work_ticks,
            paths: node
                .path
                .iter()
                .map(|&(on_path, ticks, count)| (keys[on_path as usize].clone(), (ticks, count)))
                .collect(),
        };
        if nodes.insert(key.clone(), figures).is_some() {
            return Err(format!("two nodes stand for {key:?}"));
        }
    }
    Ok(nodes)
}

fn executions(profile: &RawProfile, keys: &[NodeKey]) -> Vec<RegionFigures> {
    let figures = profile.instances.iter().map(|instance| RegionFigures {
        node: keys[instance.node as usize].clone(),
        work: instance.work_ticks,
        span: instance.span_ticks,
        burdened_span: instance.burdened_span_ticks,
        spawns: instance.spawns,
        syncs: instance.syncs,
    });
    let mut figures: Vec<RegionFigures> = figures.collect();
    figures.sort();
    figures
}

fn region_sums(profile: &RawProfile, keys: &[NodeKey]) -> BTreeMap<NodeKey, RegionSums> {
    let sums = keys.iter().zip(&profile.nodes).map(|(key, node)| {
        let sums = RegionSums {
            burdened_span: node.region.burdened_span_ticks,
            spawns: node.region.spawns,
            syncs: node.region.syncs,
        };
        (key.clone(), sums)
    });
    sums.filter(|(_, sums)| *sums != RegionSums::default())
        .collect()
}

/// The figures of each site from those of the nodes: its work is the local work of all nodes at
/// which it is active, its span the top span of its own nodes.
fn sites_from_nodes(profile: &RawProfile, keys: &[NodeKey]) -> BTreeMap<Site, SiteFigures> {
    let mut sites: BTreeMap<Site, SiteFigures> = BTreeMap::new();
    for (key, node) in keys.iter().zip(&profile.nodes) {
        for active in &key.path {
            sites.entry(*active).or_default().work += node.work.local_ticks;
        }
        let Some(own) = key.site() else {
            continue;
        };
        let figures = sites.entry(own).or_default();
        figures.count += node.work.count;
        figures.top_count += node.work.top_count;
        figures.span += node.work.top_span_ticks;
        figures.local_work += node.work.local_ticks;
        figures.count_on_span += node.span.count;
        figures.local_span += node.span.local_ticks;
    }
    sites
}

/// Adds what `workspan-model` computes: the totals, the regions, and the sites grouped by place and
/// kind. All sites of a construct are one call in one function, hence one row, except for regions,
/// which are distinguished by their names.
fn add_model(figures: &mut Figures, profile: &Profile, sites: &[Site]) -> Result<(), String> {
    for region in regions(profile) {
        let index = index_of_region(&region.name)?;
        let construct = Construct::Region;
        let figures = figures.sites.entry(Site { construct, index }).or_default();
        figures.count = region.count;
        figures.top_count = region.top_count;
        figures.work = region.sum.work.time().as_nanos();
        figures.span = region.sum.span.value.time().as_nanos();
    }
    let totals = totals(profile);
    figures.totals = Totals {
        work: totals.work.time().as_nanos(),
        span: totals.span.value.time().as_nanos(),
        burdened_span: totals.burdened_span.value.time().as_nanos(),
        spawns: totals.spawns,
        syncs: totals.syncs,
    };
    for row in site_rows(profile) {
        // Each region has a row of its own.
        if matches!(row.kind, SiteKind::Root | SiteKind::Region) {
            continue;
        }
        let constructs: BTreeSet<Construct> = row
            .sites
            .iter()
            .map(|&SiteId(id)| sites[id as usize - 1].construct)
            .collect();
        let [construct] = constructs.into_iter().collect::<Vec<_>>()[..] else {
            return Err(format!("a row mixes constructs: {row:?}"));
        };
        let row = SiteFigures {
            count: row.on_work.count,
            top_count: row.on_work.top_count,
            work: row.on_work.work.time().as_nanos(),
            span: row.on_work.span.time().as_nanos(),
            local_work: row.on_work.local_work.time().as_nanos(),
            count_on_span: row.on_span.count,
            local_span: row.on_span.local_span.time().as_nanos(),
        };
        if figures.constructs.insert(construct, row).is_some() {
            return Err(format!("two rows for {construct:?}"));
        }
    }
    Ok(())
}

fn launch() -> Launch {
    Launch {
        command: Vec::new(),
        exit: Exit::Code(0),
        started_at: 0,
        processor: None,
        os: String::new(),
        architecture: String::new(),
        workspan_version: String::new(),
    }
}
