//! Plots as PNG.

use std::io;

use plotters::prelude::*;

use super::Plot;
use super::chart;
use super::image::{Image, OnImage};

/// Pixels per unit of length.
const SCALE: u32 = 2;

/// Draws `plot`, with a built-in font.
pub(super) fn png(plot: &Plot, output: &mut dyn io::Write) -> io::Result<()> {
    let mut image = Image::new((chart::SIZE.0 * SCALE, chart::SIZE.1 * SCALE));
    {
        let area = OnImage(&mut image).into_drawing_area();
        // Drawing in memory cannot fail.
        let _ = chart::draw(plot, &area, SCALE as i32);
    }
    let (width, height) = image.size;
    let mut encoder = ::png::Encoder::new(output, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&image.pixels)?;
    Ok(writer.finish()?)
}
