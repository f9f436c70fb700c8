//! Charts of problems solved by effort.

use std::error::Error;

use plotters::prelude::*;

use super::{Quantity, SuiteReport};

/// Size of a chart in SVG units.
const SIZE: (u32, u32) = (640, 360);

/// Colours of the runs, which can be distinguished in most kinds of colour blindness (Okabe and Ito, 2008).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// Colour of a run in CSS notation.
pub(super) fn color(run: usize) -> String {
    let RGBColor(red, green, blue) = COLORS[run % COLORS.len()];
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The percentage of problems that each run has solved as a function of the effort, as SVG; `None` if no values are known.
pub(super) fn solved_over(report: &SuiteReport, quantity: Quantity) -> Option<String> {
    let curves: Vec<Curve> = (0..report.runs.len()).map(|run| curve(report, run, quantity)).collect();
    let least = curves.iter().flatten().map(|(x, _)| *x).reduce(f64::min)?;
    let greatest = curves.iter().flatten().map(|(x, _)| *x).reduce(f64::max)?;
    let mut svg = String::new();
    // Drawing in memory fails only for invalid coordinates; a part of the chart is then missing.
    let _ = draw(&mut svg, quantity, &curves, least, greatest);
    Some(svg)
}

/// Whether the axis is logarithmic, as values may differ by orders of magnitude.
fn is_logarithmic(quantity: Quantity) -> bool {
    quantity != Quantity::Depth
}

/// Efforts in ascending order, or their logarithms, with the percentage of problems solved.
type Curve = Vec<(f64, f64)>;

fn curve(report: &SuiteReport, run: usize, quantity: Quantity) -> Curve {
    let run = &report.runs[run];
    let scale = 100.0 / run.tally.tried.max(1) as f64;
    let x = |cost: u64| if is_logarithmic(quantity) { (cost.max(1) as f64).log10() } else { cost as f64 };
    let costs = run.costs[quantity as usize].iter().flat_map(|costs| &costs.curve);
    costs.map(|(cost, count)| (x(*cost), scale * *count as f64)).collect()
}

/// A step function up to the right end of the chart.
fn steps(curve: &[(f64, f64)], end: f64) -> impl Iterator<Item = (f64, f64)> {
    let before = [0.0].into_iter().chain(curve.iter().map(|(_, y)| *y));
    let steps = curve.iter().zip(before).flat_map(|(&(x, y), before)| [(x, before), (x, y)]);
    steps.chain(curve.last().map(|(_, y)| (end, *y)))
}

fn draw(
    svg: &mut String,
    quantity: Quantity,
    curves: &[Curve],
    least: f64,
    greatest: f64,
) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let end = greatest + (greatest - least).max(1.0) / 20.0;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(45)
        .build_cartesian_2d(least..end, 0.0..100.0)?;
    let has_decades = greatest.floor() > least;
    let written = |x: &f64| match is_logarithmic(quantity) {
        true if has_decades && (x - x.round()).abs() > 1e-6 => String::new(),
        true => magnitude(*x),
        // There are no halves of plies.
        false if (x - x.round()).abs() > 1e-6 => String::new(),
        false => format!("{x:.0}"),
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(quantity.name())
        .y_desc("% solved")
        .x_label_formatter(&written)
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for (run, curve) in curves.iter().enumerate() {
        let style = COLORS[run % COLORS.len()].stroke_width(2);
        chart.draw_series(LineSeries::new(steps(curve, end), style))?;
    }
    area.present()?;
    Ok(())
}

/// The number with this decimal logarithm, in a few characters.
fn magnitude(logarithm: f64) -> String {
    let number = 10f64.powf(logarithm);
    match number {
        ..9.95 => format!("{number:.1}"),
        ..9950.0 => format!("{number:.0}"),
        ..9.95e6 => format!("{:.0}k", number / 1e3),
        _ => format!("{:.0}M", number / 1e6),
    }
}
