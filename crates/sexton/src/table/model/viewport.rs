//! Which part of a list of lines is on the screen, and where the cursor stands in it.

/// A window onto `len` lines, of which some can't hold the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Viewport {
    /// The line at the top of the window.
    pub top: usize,
    /// The line the cursor is on.
    pub cursor: usize,
    /// How many lines the window shows.
    pub height: usize,
}

/// A way to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// A window's height up.
    PageUp,
    /// A window's height down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
}

impl Viewport {
    /// Moves the cursor; `holds` says which of the `len` lines can hold it.
    pub fn go(&mut self, motion: Motion, len: usize, holds: impl Fn(usize) -> bool) {
        let Some(last) = len.checked_sub(1) else {
            return self.reset();
        };
        let page = self.height.saturating_sub(1).max(1);
        let wanted = match motion {
            Motion::Up => self.cursor.saturating_sub(1),
            Motion::Down => (self.cursor + 1).min(last),
            Motion::PageUp => self.cursor.saturating_sub(page),
            Motion::PageDown => (self.cursor + page).min(last),
            Motion::First => 0,
            Motion::Last => last,
        };
        let is_backward = matches!(motion, Motion::Up | Motion::PageUp | Motion::Last);
        let ahead = |from: usize| (from..len).find(|at| holds(*at));
        let back = |from: usize| (0..=from).rev().find(|at| holds(*at));
        let found = if is_backward {
            back(wanted).or_else(|| ahead(wanted))
        } else {
            ahead(wanted).or_else(|| back(wanted))
        };
        self.cursor = found.unwrap_or(wanted);
        self.show_cursor(len, &holds);
    }

    /// Puts the cursor on line `at` without scrolling, as far as that is possible: it stays where it is on the screen.
    pub fn follow(&mut self, at: usize, len: usize, holds: impl Fn(usize) -> bool) {
        let on_screen = self.cursor.saturating_sub(self.top);
        self.cursor = at;
        self.top = at.saturating_sub(on_screen);
        self.show_cursor(len, &holds);
    }

    /// Takes another height.
    pub fn resize(&mut self, height: usize, len: usize, holds: impl Fn(usize) -> bool) {
        self.height = height;
        self.show_cursor(len, &holds);
    }

    /// Back to the first line.
    pub fn reset(&mut self) {
        (self.top, self.cursor) = (0, 0);
    }

    /// Scrolls as little as it takes: the cursor is in the window, and the window is full if there are lines to fill it.
    fn show_cursor(&mut self, len: usize, holds: &impl Fn(usize) -> bool) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        // A heading that belongs to the cursor's line is worth showing, too.
        let mut highest = self.cursor;
        while highest > 0 && !holds(highest - 1) && self.cursor - highest + 2 <= self.height {
            highest -= 1;
        }
        self.top = self
            .top
            .min(highest)
            .max((self.cursor + 1).saturating_sub(self.height.max(1)))
            .min(len.saturating_sub(self.height.max(1)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headings_are_passed_over_and_shown() {
        // Headings at 0 and 3.
        let holds = |at: usize| at != 0 && at != 3;
        let mut view = Viewport {
            height: 3,
            ..Viewport::default()
        };
        view.go(Motion::First, 6, holds);
        assert_eq!((view.top, view.cursor), (0, 1));
        view.go(Motion::Down, 6, holds);
        view.go(Motion::Down, 6, holds);
        assert_eq!((view.top, view.cursor), (2, 4));
        view.go(Motion::Last, 6, holds);
        assert_eq!((view.top, view.cursor), (3, 5));
        view.go(Motion::Up, 6, holds);
        view.go(Motion::Up, 6, holds);
        view.go(Motion::Up, 6, holds);
        assert_eq!((view.top, view.cursor), (0, 1));
        view.go(Motion::Up, 6, holds);
        assert_eq!((view.top, view.cursor), (0, 1));
    }

    #[test]
    fn a_row_that_is_followed_stays_where_it_is() {
        let mut view = Viewport {
            top: 10,
            cursor: 13,
            height: 5,
        };
        view.follow(20, 100, |_| true);
        assert_eq!((view.top, view.cursor), (17, 20));
        view.follow(1, 100, |_| true);
        assert_eq!((view.top, view.cursor), (0, 1));
    }

    proptest! {
        #[test]
        fn the_cursor_is_in_the_window_and_no_line_is_wasted(
            len in 0_usize..50, height in 0_usize..20, steps in proptest::collection::vec(0_u8..9, 0..40), mask in any::<u64>(),
        ) {
            let holds = |at: usize| mask >> (at % 64) & 1 == 1;
            let mut view = Viewport { height, ..Viewport::default() };
            for step in steps {
                match step {
                    0 => view.go(Motion::Up, len, holds),
                    1 => view.go(Motion::Down, len, holds),
                    2 => view.go(Motion::PageUp, len, holds),
                    3 => view.go(Motion::PageDown, len, holds),
                    4 => view.go(Motion::First, len, holds),
                    5 => view.go(Motion::Last, len, holds),
                    6 => view.follow((mask % 256) as usize % len.max(1), len, holds),
                    7 => view.resize(height / 2, len, holds),
                    _ => view.resize(height, len, holds),
                }
                prop_assert!(view.cursor < len.max(1));
                prop_assert!(view.top <= view.cursor && view.cursor < view.top + view.height.max(1));
                prop_assert!(view.top == 0 || view.top + view.height.max(1) <= len);
                if step < 6 && (0..len).any(holds) {
                    prop_assert!(holds(view.cursor));
                }
            }
        }
    }
}
