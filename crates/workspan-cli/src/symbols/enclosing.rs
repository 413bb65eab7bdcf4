//! Places for constructs whose own stack ends before the user's code.

use workspan_format::raw::{RawNode, RawSite};
use workspan_model::Site;

/// Gives sites inside rayon that have no place the place and the function of the construct around them: the inner
/// iteration of a `flat_map` belongs to the call of the outer one.
///
/// Where a site is reached from several constructs, the first in the call tree that has a place counts.
pub(super) fn place_like_enclosing(sites: &mut [Site], raw: &[RawSite], tree: &[RawNode]) {
    // Every node stands after its parent, so places pass down any number of levels.
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
    use workspan_format::raw::RawKind;
    use workspan_model::{Location, SiteKind};

    use super::*;

    fn raw_site(kind: RawKind, internal: bool) -> RawSite {
        RawSite {
            kind,
            internal,
            location: None,
            type_name: None,
            address: None,
            stack: None,
            call: None,
            name: None,
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
        let (internal, direct) = (
            raw_site(RawKind::Join, true),
            raw_site(RawKind::Join, false),
        );
        let raw = [
            raw_site(RawKind::Root, false),
            internal.clone(),
            internal.clone(),
            internal.clone(),
            internal,
            direct,
        ];
        // Site 2 appears below the root before it does below site 1; site 4 below the root alone.
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
        place_like_enclosing(&mut sites, &raw, &tree);
        for inside in [2, 3] {
            assert_eq!(sites[inside].location.as_ref(), Some(&place));
            assert_eq!(sites[inside].function.as_deref(), Some("app::main"));
        }
        for other in [0, 4, 5] {
            assert_eq!(sites[other].location, None, "site {other}");
        }
    }
}
