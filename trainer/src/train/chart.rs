//! Chart of the losses of a run.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::Losses;

const SIZE: (u32, u32) = (720, 400);

/// Draws the losses after each epoch, in training and on held-out games, as SVG.
pub(super) fn draw(path: &Path, losses: &[Losses]) -> Result<()> {
    let mut svg = String::new();
    plot(&mut svg, losses).map_err(|error| anyhow!("the losses can't be drawn: {error}"))?;
    crate::files::write_whole(path, svg.as_bytes())
}

fn plot(svg: &mut String, losses: &[Losses]) -> Result<(), Box<dyn std::error::Error>> {
    let all = || losses.iter().flat_map(|losses| [losses.training, losses.held_out]);
    let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    let margin = ((most - least) * 0.05).max(1e-6);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(1.0..losses.len().max(2) as f64, least - margin..most + margin)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("loss")
        .x_label_formatter(&|epoch| format!("{epoch:.0}"))
        .y_label_formatter(&|loss| format!("{loss:.4}"))
        .draw()?;
    let curve = |of: fn(&Losses) -> f64| {
        losses.iter().enumerate().map(move |(epoch, losses)| (epoch as f64 + 1.0, of(losses)))
    };
    let curves = [
        ("training", RGBColor(31, 119, 180), curve(|losses| losses.training)),
        ("held out", RGBColor(214, 39, 40), curve(|losses| losses.held_out)),
    ];
    for (name, color, curve) in curves {
        chart
            .draw_series(LineSeries::new(curve, color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}
