//! The records that tell of the program: its mappings, its sites, its call tree.

use workspan_model::Location;

use super::fields::{Fields, Problem};
use super::{RawCall, RawKind, RawModule, RawNode, RawSite, StackCopy};

/// The program as far as it has been told of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawProgram {
    pub(crate) modules: Vec<RawModule>,
    pub(crate) sites: Vec<RawSite>,
    pub(crate) nodes: Vec<RawNode>,
    /// Stacks of sites that were damaged, and left out.
    pub(crate) damaged_stacks: u64,
}

impl RawProgram {
    const RECORDS: [&str; 8] = [
        "module",
        "site",
        "sitetype",
        "siteaddr",
        "sitestack",
        "sitecall",
        "sitename",
        "node",
    ];

    /// Whether records called `name` tell of the program.
    pub(crate) fn has(name: &str) -> bool {
        Self::RECORDS.contains(&name)
    }

    /// Adds the record `name`, one that [tells of the program](Self::has).
    pub(crate) fn add(&mut self, name: &str, fields: Fields<'_>) -> Result<(), Problem> {
        match name {
            "module" => self.module(fields),
            "site" => self.site(fields),
            "sitetype" => self.site_type(fields),
            "siteaddr" => self.site_address(fields),
            "sitestack" => self.site_stack(fields),
            "sitecall" => self.site_call(fields),
            "sitename" => self.site_name(fields),
            "node" => self.node(fields),
            other => Err(format!("the record `{other}` is not known")),
        }
    }

    fn module(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        self.modules.push(RawModule {
            start: fields.hex("the start")?,
            end: fields.hex("the end")?,
            file_offset: fields.hex("the file offset")?,
            path: fields.text("the path")?.to_owned(),
        });
        Ok(())
    }

    fn site(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        in_order(fields.number("the site's id")?, self.sites.len())?;
        let kind = match fields.word("the kind")? {
            "root" => RawKind::Root,
            "join" => RawKind::Join,
            "scope" => RawKind::Scope,
            "spawn" => RawKind::Spawn,
            "broadcast" => RawKind::Broadcast,
            "thread" => RawKind::Thread,
            "function" => RawKind::Function,
            "region" => RawKind::Region,
            "parallel" => RawKind::Parallel,
            "loop" => RawKind::Loop,
            "sections" => RawKind::Sections,
            "task" => RawKind::Task,
            "taskgroup" => RawKind::Taskgroup,
            "critical" => RawKind::Critical,
            "atomic" => RawKind::Atomic,
            "ordered" => RawKind::Ordered,
            "lock" => RawKind::Lock,
            other => return Err(format!("the kind `{other}` is not known")),
        };
        if (kind == RawKind::Root) != self.sites.is_empty() {
            return Err("site 0, and it alone, is the root".to_owned());
        }
        let internal = fields.flag("the mark of rayon's own calls")?;
        let line = fields.number("the line")?;
        let column = fields.number("the column")?;
        let file = fields.text("the file")?;
        let location = (file != "-").then(|| Location {
            file: file.to_owned(),
            line,
            column,
        });
        self.sites.push(RawSite {
            kind,
            internal,
            location,
            type_name: None,
            address: None,
            stack: None,
            call: None,
            name: None,
        });
        Ok(())
    }

    fn site_type(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let site = self.site_of(&mut fields)?;
        site.type_name = Some(fields.text("the type's name")?.to_owned());
        Ok(())
    }

    fn site_call(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let site = self.site_of(&mut fields)?;
        site.call = Some(RawCall {
            from: fields.hex("the return address")?,
            to: fields.hex("the function's address")?,
            code: match fields.is_empty() {
                true => 0,
                false => fields.hex("the address in its code")?,
            },
        });
        fields.finish()
    }

    fn site_name(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let site = self.site_of(&mut fields)?;
        site.name = Some(fields.text("the name")?.to_owned());
        Ok(())
    }

    fn site_address(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let site = self.site_of(&mut fields)?;
        site.address = Some(fields.hex("the address")?);
        fields.finish()
    }

    fn site_stack(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let site = self.site_of(&mut fields)?;
        site.stack = StackCopy::parse(fields).ok();
        self.damaged_stacks += u64::from(site.stack.is_none());
        Ok(())
    }

    fn node(&mut self, mut fields: Fields<'_>) -> Result<(), Problem> {
        let id = self.nodes.len();
        in_order(fields.number("the node's id")?, id)?;
        let parent: Option<u32> = fields.optional_number("the parent")?;
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
        fields.finish()
    }

    fn site_of(&mut self, fields: &mut Fields<'_>) -> Result<&mut RawSite, Problem> {
        let id: usize = fields.number("the site's id")?;
        self.sites.get_mut(id).ok_or_else(|| unknown("site", id))
    }
}

pub(super) fn in_order(id: usize, expected: usize) -> Result<(), Problem> {
    if id == expected {
        Ok(())
    } else {
        Err(format!("id {id} where {expected} is next"))
    }
}

pub(super) fn unknown(what: &str, id: usize) -> Problem {
    format!("there is no {what} {id} above")
}
