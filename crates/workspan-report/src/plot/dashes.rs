//! Dashed lines.

type Place = (f64, f64);

/// The dashes of a line through `points`: pieces of the first length with gaps of the second
/// between them. The pattern continues around corners.
pub(super) fn dashes(points: &[Place], (dash, gap): (u32, u32)) -> Vec<Vec<Place>> {
    let lengths = [f64::from(dash), f64::from(gap)];
    let mut pieces = Vec::new();
    let mut piece: Vec<Place> = points.first().copied().into_iter().collect();
    let mut is_gap = false;
    let mut left = lengths[0];
    for ends in points.windows(2) {
        let [mut from, to] = [ends[0], ends[1]];
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if !is_gap {
                    piece.push(to);
                }
                break;
            }
            let share = left / length;
            from = (
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            );
            if is_gap {
                piece = vec![from];
            } else {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            }
            is_gap = !is_gap;
            left = lengths[usize::from(is_gap)];
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let corner = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        assert_eq!(
            dashes(&corner, (4, 2)),
            [vec![(0.0, 0.0), (4.0, 0.0)], vec![(5.0, 1.0), (5.0, 5.0)],]
        );
        assert_eq!(
            dashes(&corner, (6, 2)),
            [
                vec![(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)],
                vec![(5.0, 3.0), (5.0, 5.0)],
            ]
        );
        assert!(dashes(&[(1.0, 1.0)], (4, 2)).is_empty());
    }
}
