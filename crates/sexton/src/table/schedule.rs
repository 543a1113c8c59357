//! When to draw, when to look at the machine, when to read what grew: seldom enough to cost nothing, soon enough to feel live.

use std::time::{Duration, Instant};

/// Between two frames, unless a key was pressed.
const FRAME: Duration = Duration::from_millis(40);

/// Ages and processes change by themselves.
const TICK: Duration = Duration::from_secs(1);

/// Between two looks when files change all the time.
const LOOK: Duration = Duration::from_millis(250);

/// Between two looks when nothing is said to have changed, where the kernel would say so.
const POLL: Duration = Duration::from_secs(15);

/// The same where it doesn't.
const POLL_BLIND: Duration = Duration::from_secs(2);

/// Between two readings of transcripts that grow.
const GROWTH: Duration = Duration::from_millis(500);

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Due {
    /// Draw.
    pub(super) draw: bool,
    /// Look at the processes.
    pub(super) tick: bool,
    /// Look at everything.
    pub(super) look: Option<Look>,
    /// Read the transcripts that grew.
    pub(super) growth: bool,
}

/// Why everything is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Something changed, or somebody asked.
    Asked,
    /// Nothing is known to have changed.
    Precaution,
}

/// What waits for its time.
#[derive(Debug)]
pub(super) struct Schedule {
    draw: Option<Instant>,
    tick: Instant,
    look: Option<Instant>,
    poll: Instant,
    growth: Option<Instant>,
    is_looking: bool,
    is_blind: bool,
    drawn: Instant,
    looked: Instant,
    /// How long a look takes.
    cost: Duration,
    read: Instant,
}

impl Schedule {
    /// A first look and a first frame at once; `is_told` says whether the kernel tells about changes.
    pub(super) fn new(now: Instant, is_told: bool) -> Self {
        Self {
            draw: Some(now),
            tick: now + TICK,
            look: Some(now),
            poll: now + POLL,
            growth: None,
            is_looking: false,
            is_blind: !is_told,
            drawn: now,
            looked: now,
            cost: Duration::ZERO,
            read: now,
        }
    }

    /// There is something to draw; at once if a person waits for it.
    pub(super) fn draw(&mut self, now: Instant, is_urgent: bool) {
        let at = if is_urgent { now } else { (self.drawn + FRAME).max(now) };
        self.draw = Some(self.draw.map_or(at, |before| before.min(at)));
    }

    /// Something changed on disk.
    pub(super) fn look(&mut self, now: Instant) {
        // A look that takes long is taken less often: at most a tenth of the time goes into it.
        let at = (self.looked + LOOK.max(self.cost * 10)).max(now);
        self.look = Some(self.look.map_or(at, |before| before.min(at)));
    }

    /// A transcript grew.
    pub(super) fn growth(&mut self, now: Instant) {
        self.growth.get_or_insert((self.read + GROWTH).max(now));
    }

    /// A look has been taken and took so long; one that left something unread is followed by another.
    pub(super) fn looked(&mut self, now: Instant, cost: Duration, is_complete: bool) {
        self.is_looking = false;
        (self.looked, self.cost) = (now, cost);
        let poll = if self.is_blind { POLL_BLIND } else { POLL };
        self.poll = if is_complete {
            now + poll.max(cost * 100)
        } else {
            now + LOOK.max(cost * 4)
        };
    }

    /// From now on the kernel tells nothing.
    pub(super) fn blind(&mut self, now: Instant) {
        self.is_blind = true;
        self.poll = self.poll.min(now + POLL_BLIND);
    }

    /// What is due at `now`; it counts as done.
    pub(super) fn take_due(&mut self, now: Instant) -> Due {
        let mut due = Due {
            tick: now >= self.tick,
            growth: self.growth.take_if(|at| now >= *at).is_some(),
            ..Due::default()
        };
        if due.tick {
            self.tick = now + TICK;
            self.draw(now, false);
        }
        if due.growth {
            self.read = now;
        }
        if !self.is_looking {
            let is_asked = self.look.take_if(|at| now >= *at).is_some();
            let is_polled = now >= self.poll;
            due.look = is_asked
                .then_some(Look::Asked)
                .or_else(|| is_polled.then_some(Look::Precaution));
            self.is_looking = due.look.is_some();
        }
        due.draw = self.draw.take_if(|at| now >= *at).is_some();
        if due.draw {
            self.drawn = now;
        }
        due
    }

    /// When the next thing is due.
    pub(super) fn next(&self) -> Instant {
        let looks = [self.look, Some(self.poll)].map(|at| at.filter(|_| !self.is_looking));
        let all = [self.draw, Some(self.tick), self.growth, looks[0], looks[1]];
        all.into_iter().flatten().min().unwrap_or(self.tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_first_look_and_frame_are_due_at_once() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, true);
        let due = schedule.take_due(start);
        assert!(due.draw && due.look == Some(Look::Asked));
        assert_eq!(schedule.next(), start + TICK);
    }

    #[test]
    fn many_changes_are_one_look_and_an_expensive_one_is_taken_less_often() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, true);
        schedule.take_due(start);
        schedule.look(start + ms(1));
        assert_eq!(schedule.take_due(start + ms(900)).look, None, "one look at a time");
        schedule.looked(start + ms(900), ms(100), true);
        schedule.look(start + ms(901));
        let asked = schedule.take_due(start + ms(902)).look;
        assert_eq!(asked, Some(Look::Asked), "it was asked for while looking");
        schedule.looked(start + ms(1000), ms(100), true);
        schedule.look(start + ms(1001));
        assert_eq!(schedule.take_due(start + ms(1999)).look, None);
        assert!(schedule.take_due(start + ms(2000)).look.is_some());
    }

    #[test]
    fn keys_are_drawn_at_once_and_news_at_the_next_frame() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, true);
        schedule.take_due(start);
        schedule.draw(start + ms(1), false);
        assert!(!schedule.take_due(start + ms(39)).draw);
        schedule.draw(start + ms(39), true);
        assert!(schedule.take_due(start + ms(39)).draw);
    }

    #[test]
    fn without_news_only_ticks_and_seldom_looks_remain() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, true);
        schedule.take_due(start);
        schedule.looked(start, ms(5), true);
        let (mut now, mut wakes, mut looks) = (start, 0, 0);
        while now < start + Duration::from_mins(1) {
            now = schedule.next().max(now + ms(1));
            let due = schedule.take_due(now);
            wakes += 1;
            if let Some(look) = due.look {
                assert_eq!(look, Look::Precaution);
                looks += 1;
                schedule.looked(now, ms(5), true);
            }
        }
        assert!(wakes <= 130, "{wakes}");
        assert!((3..=4).contains(&looks), "{looks}");
        schedule.blind(now);
        assert!(schedule.next() <= now + POLL_BLIND);
    }
}
