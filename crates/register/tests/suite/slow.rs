//! A disk that takes its time: what is appended while a file is mended slowly, and slowly itself, is there afterwards, once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sexton_register::{Draft, Named, Repair, Source, Stamps, Text, append_event, read_session, repair};
use sexton_sys::{Durability, Effects, FaultPlan, SystemClock};

use crate::arrange::{Store, session};

const EACH: usize = 60;

/// Effects that wait before each step: between opening a file and writing to it, too.
fn slow(latency: Duration) -> Effects {
    Effects::faulty(FaultPlan::asking(move |_| {
        std::thread::sleep(latency);
        None
    }))
}

#[test]
fn slow_appends_and_slow_repairs_lose_and_double_nothing() {
    let store = Store::new();
    let file = store.put(1, "damage\n");
    let is_over = AtomicBool::new(false);
    let mut mended = 0;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|who| {
                let directory = store.path();
                scope.spawn(move || {
                    let effects = slow(Duration::from_millis(2));
                    for number in 0..EACH {
                        let named = Named {
                            name: Text::new(format!("{who}/{number}")).unwrap(),
                            name_source: None,
                        };
                        let draft = Draft::new(session(1), Source::Hook, named);
                        append_event(&effects, directory, draft, &Stamps::new(&SystemClock)).unwrap();
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            for writer in writers {
                writer.join().unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let what = Repair {
                file: &file,
                is_live: false,
                now_ms: mended,
                // Longer than an append lies between opening and writing.
                settle: Duration::from_millis(100),
            };
            let repaired = repair(&slow(Duration::from_millis(3)), &what).unwrap();
            mended += i64::from(!repaired.moved.is_empty());
            Effects::apply()
                .append(&file, b"more damage\n", Durability::Buffered)
                .unwrap();
        }
    });
    assert!(mended > 1, "nothing was mended while the others wrote");
    let last = Repair {
        file: &file,
        is_live: false,
        now_ms: mended,
        settle: Duration::ZERO,
    };
    repair(&Effects::apply(), &last).unwrap();
    let events = read_session(&file).unwrap();
    let ids: HashSet<_> = events.iter().map(|event| event.id.as_str()).collect();
    assert_eq!((events.len(), ids.len()), (3 * EACH, 3 * EACH), "every event once");
}
