//! Parses the records that describe the program: its mappings, its sites, its call tree.

use workspan_model::{Location, SiteKind};

use super::fields::{Fields, Problem};
use super::{RawCall, RawModule, RawNode, RawSite, StackCopy};

/// The program, as far as it has been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawProgram {
    pub(crate) modules: Vec<RawModule>,
    pub(crate) sites: Vec<RawSite>,
    pub(crate) nodes: Vec<RawNode>,
    /// Stacks of sites that were damaged, and are left out.
    pub(crate) damaged_stacks: u64,
}

impl RawProgram {
    /// Adds the record `name`. Returns whether records of that name describe the program.
    pub(crate) fn add(&mut self, name: &str, mut fields: Fields<'_>) -> Result<bool, Problem> {
        match name {
            "module" => self.modules.push(RawModule {
                start: fields.hex("the start")?,
                end: fields.hex("the end")?,
                file_offset: fields.hex("the file offset")?,
                path: fields.text("the path")?,
            }),
            "site" => self.site(&mut fields)?,
            "sitetype" => {
                let site = self.site_mut(&mut fields)?;
                site.type_name = Some(fields.text("the type's name")?);
            }
            "siteaddr" => {
                let site = self.site_mut(&mut fields)?;
                site.address = Some(fields.hex("the address")?);
            }
            "sitestack" => {
                let site = self.site_mut(&mut fields)?;
                site.stack = StackCopy::parse(fields).ok();
                self.damaged_stacks += u64::from(site.stack.is_none());
                return Ok(true);
            }
            "sitecall" => {
                let site = self.site_mut(&mut fields)?;
                site.call = Some(RawCall {
                    from: fields.hex("the return address")?,
                    to: fields.hex("the function's address")?,
                    code: if fields.is_empty() {
                        0
                    } else {
                        fields.hex("the address in its code")?
                    },
                });
            }
            "sitename" => {
                let site = self.site_mut(&mut fields)?;
                site.name = Some(fields.text("the name")?);
            }
            "node" => self.node(&mut fields)?,
            _ => return Ok(false),
        }
        fields.finish().map(|()| true)
    }

    fn site(&mut self, fields: &mut Fields<'_>) -> Result<(), Problem> {
        check_next_id(fields.number("the site's id")?, self.sites.len())?;
        let name = fields.word("the kind")?;
        let kind = SiteKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.filter(|kind| {
            use SiteKind::{ParBridge, ParIter, ParSort};
            // The engine knows only the joins that they make.
            !matches!(kind, ParBridge | ParIter | ParSort)
        });
        let kind = kind.ok_or_else(|| format!("the kind `{name}` is not known"))?;
        if (kind == SiteKind::Root) != self.sites.is_empty() {
            return Err("site 0, and it alone, is the root".to_owned());
        }
        let internal = fields.flag("the mark of rayon's own calls")?;
        let line = fields.number("the line")?;
        let column = fields.number("the column")?;
        let file = fields.text("the file")?;
        let location = (file != "-").then_some(Location { file, line, column });
        self.sites.push(RawSite {
            internal,
            location,
            ..RawSite::new(kind)
        });
        Ok(())
    }

    fn node(&mut self, fields: &mut Fields<'_>) -> Result<(), Problem> {
        let id = self.nodes.len();
        check_next_id(fields.number("the node's id")?, id)?;
        let parent: Option<u32> = fields.optional("the parent", Fields::number)?;
        match parent {
            None if id != 0 => return Err(format!("node {id} has no parent")),
            Some(_) if id == 0 => return Err("node 0 has a parent".to_owned()),
            Some(parent) if parent as usize >= id => return Err(unknown("node", parent as usize)),
            _ => {}
        }
        let site: u32 = fields.number("the site")?;
        if site as usize >= self.sites.len() {
            return Err(unknown("site", site as usize));
        }
        if (site == 0) != (id == 0) {
            return Err("node 0, and it alone, is of site 0".to_owned());
        }
        let recursive = fields.flag("the mark of recursion")?;
        self.nodes.push(RawNode {
            parent,
            site,
            recursive,
            ..RawNode::default()
        });
        Ok(())
    }

    fn site_mut(&mut self, fields: &mut Fields<'_>) -> Result<&mut RawSite, Problem> {
        let id: usize = fields.number("the site's id")?;
        self.sites.get_mut(id).ok_or_else(|| unknown("site", id))
    }
}

fn check_next_id(id: usize, expected: usize) -> Result<(), Problem> {
    if id == expected {
        Ok(())
    } else {
        Err(format!("id {id} where {expected} is next"))
    }
}

pub(super) fn unknown(what: &str, id: usize) -> Problem {
    format!("there is no {what} {id} above")
}
