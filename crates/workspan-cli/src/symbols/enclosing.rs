//! Places for constructs whose own stacks end before the user's code.

use workspan_format::raw::{RawNode, RawSite};
use workspan_model::Site;

/// Gives sites inside rayon that have no place the place and the function of the construct around
/// them: the inner iteration of a `flat_map` belongs to the call of the outer one.
///
/// If a site is reached from several constructs, the first in the call tree that has a place
/// counts.
pub(super) fn inherit_places(sites: &mut [Site], raw: &[RawSite], tree: &[RawNode]) {
    // Every node comes after its parent, so places pass down any number of levels.
    for node in tree {
        let Some(parent) = node.parent else {
            continue;
        };
        let site = node.site as usize;
        if !raw[site].internal || sites[site].location.is_some() {
            continue;
        }
        let around = &sites[tree[parent as usize].site as usize];
        if around.location.is_some() {
            let (location, function) = (around.location.clone(), around.function.clone());
            sites[site].location = location;
            sites[site].function = function;
        }
    }
}

#[cfg(test)]
mod tests {
    use workspan_model::{Location, SiteKind};

    use super::*;

    fn raw_site(kind: SiteKind, internal: bool) -> RawSite {
        RawSite {
            internal,
            ..RawSite::new(kind)
        }
    }

    fn node(parent: u32, site: u32) -> RawNode {
        RawNode {
            parent: Some(parent),
            site,
            ..RawNode::default()
        }
    }

    #[test]
    fn places_pass_down_to_the_constructs_inside_rayon() {
        let mut raw = vec![raw_site(SiteKind::Join, true); 6];
        raw[0] = raw_site(SiteKind::Root, false);
        raw[5] = raw_site(SiteKind::Join, false);
        // Site 2 appears below the root and later below site 1, site 4 only below the root.
        let tree = [
            RawNode::default(),
            node(0, 2),
            node(0, 4),
            node(0, 1),
            node(3, 2),
            node(4, 3),
            node(3, 5),
        ];
        let place = Location {
            file: "src/main.rs".to_owned(),
            line: 11,
            column: 10,
        };
        let mut sites = vec![Site::root()];
        sites.resize(6, Site::unnamed(SiteKind::ParIter));
        sites[1].location = Some(place.clone());
        sites[1].function = Some("app::main".to_owned());
        inherit_places(&mut sites, &raw, &tree);
        for inside in [2, 3] {
            assert_eq!(sites[inside].location.as_ref(), Some(&place));
            assert_eq!(sites[inside].function.as_deref(), Some("app::main"));
        }
        for other in [0, 4, 5] {
            assert_eq!(sites[other].location, None, "site {other}");
        }
    }
}
