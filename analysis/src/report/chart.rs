//! How many problems are solved with how much effort, as a picture.

use std::error::Error;

use plotters::prelude::*;

use super::{Quantity, SuiteReport};

/// The size of a picture, in its own units.
const SIZE: (u32, u32) = (640, 360);

/// The colours of runs, one after the other, so that they can be told apart in most kinds of colour blindness (Okabe and Ito,
/// 2008).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// The colour of a run, for a style sheet.
pub(super) fn color(run: usize) -> String {
    let RGBColor(red, green, blue) = COLORS[run % COLORS.len()];
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The percentage of its problems that each run had solved by then, as an SVG; `None` if nothing is known of the quantity.
pub(super) fn solved_over(report: &SuiteReport, quantity: Quantity) -> Option<String> {
    let curves: Vec<Curve> = (0..report.runs.len()).map(|run| Curve::of(report, run, quantity)).collect();
    let ends = curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x);
    let (least, greatest) =
        ends.fold((f64::MAX, f64::MIN), |(least, greatest), x| (least.min(x), greatest.max(x)));
    (least <= greatest).then(|| {
        let mut svg = String::new();
        // A drawing in memory fails only if it is badly made; then a part of it is missing.
        let _ = draw(&mut svg, quantity, &curves, least, greatest);
        svg
    })
}

/// Whether effort is shown by its magnitude: it may differ by that of records.
fn is_logarithmic(quantity: Quantity) -> bool {
    quantity != Quantity::Depth
}

/// How a run comes to its solutions: efforts, or their magnitudes, and the percentage that is solved with each.
struct Curve {
    points: Vec<(f64, f64)>,
}

impl Curve {
    fn of(report: &SuiteReport, run: usize, quantity: Quantity) -> Curve {
        let mut costs = report.costs(run, quantity);
        costs.sort_unstable();
        let scale = 100.0 / report.runs[run].tried.max(1) as f64;
        let points = (1..).zip(&costs).map(|(count, cost)| {
            let cost = if is_logarithmic(quantity) { (*cost).max(1) as f64 } else { *cost as f64 };
            let x = if is_logarithmic(quantity) { cost.log10() } else { cost };
            (x, scale * f64::from(count))
        });
        Curve { points: points.collect() }
    }

    /// Steps to the right end of the picture.
    fn steps(&self, end: f64) -> impl Iterator<Item = (f64, f64)> {
        let before = [0.0].into_iter().chain(self.points.iter().map(|(_, y)| *y));
        let steps = self.points.iter().zip(before).flat_map(|(&(x, y), before)| [(x, before), (x, y)]);
        steps.chain(self.points.last().map(|(_, y)| (end, *y)))
    }
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
        chart.draw_series(LineSeries::new(curve.steps(end), style))?;
    }
    area.present()?;
    Ok(())
}

/// A number of that decimal logarithm, in a few characters.
fn magnitude(logarithm: f64) -> String {
    let number = 10f64.powf(logarithm);
    match number {
        ..9.95 => format!("{number:.1}"),
        ..9950.0 => format!("{number:.0}"),
        ..9.95e6 => format!("{:.0}k", number / 1e3),
        _ => format!("{:.0}M", number / 1e6),
    }
}
