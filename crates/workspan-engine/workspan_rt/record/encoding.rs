//! Entries as bytes: a code, then numbers as unsigned LEB128; ticks are zigzag-encoded, sign in the
//! lowest bit.

use super::item::{Bulk, Figures, Folded, Item, Origin};

pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_ticks(bytes: &mut Vec<u8>, ticks: i64) {
    put(bytes, ((ticks << 1) ^ (ticks >> 63)) as u64);
}

fn put_paths(bytes: &mut Vec<u8>, figures: &Figures) {
    put_ticks(bytes, figures.work);
    put_ticks(bytes, figures.span);
    put_ticks(bytes, figures.burdened);
}

pub(crate) fn encode(bytes: &mut Vec<u8>, item: &Item) {
    let mut event = |code: u8, numbers: &[u64]| {
        bytes.push(code);
        numbers.iter().for_each(|number| put(bytes, *number));
    };
    match *item {
        Item::Nothing => {}
        Item::Strand { node, ticks } => {
            event(1, &[node.into()]);
            put_ticks(bytes, ticks);
        }
        Item::Folded(Folded { node, at, figures }) => {
            event(2, &[node.into(), at.into()]);
            put_paths(bytes, &figures);
            put(bytes, figures.tasks.into());
        }
        Item::Fork { node } => event(3, &[node.into()]),
        Item::Middle => event(4, &[]),
        Item::Join { left, right } => event(5, &[left, right]),
        Item::Mark { mark } => event(6, &[mark]),
        Item::LateMiddle { mark, node } => event(7, &[mark, node.into()]),
        Item::Right { lane, node } => event(8, &[lane, node.into()]),
        Item::LaneEnd => event(9, &[]),
        Item::Left { lane, node } => event(10, &[lane, node.into()]),
        Item::Group { group, node } => event(11, &[group, node.into()]),
        Item::Body { group, node } => event(12, &[group, node.into()]),
        Item::GroupEnd => event(13, &[]),
        Item::Point {
            point,
            awaited,
            node,
        } => event(14, &[point, awaited, node.into()]),
        Item::Task {
            point,
            later,
            lane,
            node,
        } => event(15, &[point, later.into(), lane, node.into()]),
        Item::Bulk(Bulk {
            point,
            later,
            node,
            figures,
        }) => {
            let tasks = figures.tasks.into();
            event(16, &[point, later.into(), node.into(), tasks]);
            put_paths(bytes, &figures);
        }
        Item::Member { group, lane, node } => event(17, &[group, lane, node.into()]),
        Item::Handoff { call } => event(18, &[call]),
        Item::Call { call, node } => event(19, &[call, node.into()]),
        Item::HandoffEnd => event(20, &[]),
        Item::Await { lane } => event(21, &[lane]),
        Item::Root { node } => event(22, &[node.into()]),
        Item::Own { ticks, node } => {
            event(23, &[]);
            put_ticks(bytes, ticks);
            put(bytes, node.into());
        }
        Item::Reach { hub, at } => event(24, &[hub, at.into()]),
        Item::After { hub, is_stealable } => event(25, &[hub, is_stealable.into()]),
        Item::Start {
            hub,
            is_stealable,
            node,
            at,
        } => event(26, &[hub, is_stealable.into(), node.into(), at.into()]),
        Item::Parcel {
            origin,
            later,
            from,
            to,
            node,
            tasks,
            work,
            span,
            burdened,
        } => {
            match origin {
                Origin::Point => event(27, &[from, later.into()]),
                Origin::Hub => event(28, &[from, 0]),
                Origin::Stealable => event(28, &[from, 1]),
            }
            put(bytes, to);
            put(bytes, node.into());
            let figures = Figures {
                work,
                span,
                burdened,
                tasks,
            };
            put_paths(bytes, &figures);
            put(bytes, tasks.into());
        }
        Item::Lead { from, to } => event(29, &[from, to]),
    }
}
