//! An image that plotters draws on.

use std::convert::Infallible;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::chart::PLOTTERS_TEXT;

const WEIGHT: FontWeight = FontWeight::Regular;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Rows of pixels from top to bottom, three bytes each.
pub(super) struct Image {
    pub(super) size: (u32, u32),
    pub(super) pixels: Vec<u8>,
}

/// What plotters draws with: its own backend for images has no font.
pub(super) struct OnImage<'a>(pub(super) &'a mut Image);

impl Image {
    /// A black image.
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self {
            size,
            pixels: vec![0; size.0 as usize * size.1 as usize * 3],
        }
    }

    /// Mixes `share` of a colour into a pixel, if there is one.
    fn mix(&mut self, (column, row): BackendCoord, (red, green, blue): (u8, u8, u8), share: f64) {
        let inside = |at: i32, size: u32| u32::try_from(at).ok().filter(|&at| at < size);
        let Some((column, row)) = inside(column, self.size.0).zip(inside(row, self.size.1)) else {
            return;
        };
        let start = (row as usize * self.size.0 as usize + column as usize) * 3;
        for (byte, colour) in self.pixels[start..start + 3]
            .iter_mut()
            .zip([red, green, blue])
        {
            let mixed = f64::from(*byte) * (1.0 - share) + f64::from(colour) * share;
            *byte = mixed.round() as u8;
        }
    }
}

impl DrawingBackend for OnImage<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.0.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        self.0.mix(point, colour.rgb, colour.alpha);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        place: BackendCoord,
    ) -> Drawn {
        let height = raster_height(style.size() / PLOTTERS_TEXT);
        let advance = get_raster_width(WEIGHT, height) as i32;
        let size = (text.chars().count() as i32 * advance, height.val() as i32);
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => place.0,
            HPos::Center => place.0 - size.0 / 2,
            HPos::Right => place.0 - size.0,
        };
        let top = match anchor.v_pos {
            VPos::Top => place.1,
            VPos::Center => place.1 - size.1 / 2,
            VPos::Bottom => place.1 - size.1,
        };
        for (index, character) in (0..).zip(text.chars()) {
            let glyph =
                get_raster(character, WEIGHT, height).or_else(|| get_raster('?', WEIGHT, height));
            let rows = glyph.iter().flat_map(|glyph| (0..).zip(glyph.raster()));
            for (down, row) in rows {
                for (right, &share) in (0..).zip(row.iter()) {
                    let pixel = (left + index * advance + right, top + down);
                    self.0
                        .mix(pixel, style.color().rgb, f64::from(share) / 255.0);
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let height = raster_height(style.size() / PLOTTERS_TEXT);
        let advance = get_raster_width(WEIGHT, height) as u32;
        Ok((text.chars().count() as u32 * advance, height.val() as u32))
    }
}

/// The nearest size that the font has.
fn raster_height(size: f64) -> RasterHeight {
    if size < 28.0 {
        RasterHeight::Size24
    } else {
        RasterHeight::Size32
    }
}
