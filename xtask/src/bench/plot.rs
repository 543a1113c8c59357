//! Growth as an SVG: both axes logarithmic, so that a cost in proportion is a straight diagonal.

use std::fmt::Write as _;

use super::growth::Curve;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 6] = ["#1b6ca8", "#c2571a", "#2e7d4f", "#8e44ad", "#7a6a00", "#b0304f"];

/// A range of values on a logarithmic axis, widened to whole powers of ten.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: i32,
    high: i32,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
        let high = values.fold(0.0, f64::max).log10().ceil();
        #[expect(clippy::cast_possible_truncation, reason = "exponents of counts and times")]
        let (low, high) = (low as i32, high as i32);
        Self {
            low,
            high: high.max(low + 1),
        }
    }

    /// From 0 to 1.
    fn place(self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|exponent| 10_f64.powi(exponent))
    }
}

/// Draws all curves into one picture; without any, an empty one.
pub(super) fn svg(curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    if points().next().is_some() {
        let across = Axis::over(points().map(|(sessions, _)| count(*sessions)));
        let up = Axis::over(points().map(|(_, milliseconds)| *milliseconds));
        grid(&mut svg, across, up);
        for (index, curve) in curves.iter().enumerate() {
            draw(&mut svg, curve, COLOURS[index % COLOURS.len()], index, across, up);
        }
    }
    svg + "</svg>\n"
}

fn grid(svg: &mut String, across: Axis, up: Axis) {
    for value in across.ticks() {
        let x = x(across, value);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{:.1}\" stroke=\"#dddddd\"/>",
            HEIGHT - BOTTOM
        );
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            HEIGHT - BOTTOM + 18.0
        );
    }
    for value in up.ticks() {
        let y = y(up, value);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#dddddd\"/>",
            WIDTH - RIGHT
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value} ms</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    let middle = LEFT.midpoint(WIDTH - RIGHT);
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">sessions</text>",
        HEIGHT - 12.0
    );
}

fn draw(svg: &mut String, curve: &Curve, colour: &str, index: usize, across: Axis, up: Axis) {
    let mut path = String::new();
    for (sessions, milliseconds) in &curve.points {
        let (x, y) = (x(across, count(*sessions)), y(up, *milliseconds));
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
    );
    let legend = TOP + 16.0 + 20.0 * count(index);
    let side = WIDTH - RIGHT + 16.0;
    let _ = writeln!(
        svg,
        "<path d=\"M{side} {:.1}h18\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        legend - 4.0
    );
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{legend:.1}\">{}</text>",
        side + 24.0,
        curve.name
    );
}

fn x(axis: Axis, value: f64) -> f64 {
    LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT)
}

fn y(axis: Axis, value: f64) -> f64 {
    HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM)
}

#[expect(clippy::cast_precision_loss, reason = "counts of sessions and curves")]
fn count(number: usize) -> f64 {
    number as f64
}
