//! What can be interrupted: every operation of the yard, with what is arranged before it.

use std::fs;

use sexton_register::SessionId;
use sexton_yard::archive::ArchiveRequest;
use sexton_yard::facts::SessionFacts;
use sexton_yard::stub::{leftovers, plan_tidy};
use sexton_yard::tombstones::{add_tombstones, remove_tombstones};
use sexton_yard::trash::{Selection, plan_empty, plan_purge};
use sexton_yard::undo::plan_undo;
use sexton_yard::{Retained, Yard, load_tombstones, plan_delete};

use crate::copies::{restore_copy, set_apart};
use crate::support::{Ground, World, by_id, keeping_times};

/// An operation to be interrupted: what is arranged before it, and the operation.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) arrange: fn(&World, &Yard<'_>),
    pub(crate) act: fn(&World, &Yard<'_>),
}

/// The sessions that a scenario is about.
pub(crate) fn ids(world: &World) -> Vec<SessionId> {
    (1..=world.crew).map(crate::support::id).collect()
}

const SCENARIOS: [Scenario; 19] = [
    Scenario {
        name: "archive",
        arrange: plant,
        act: |world, yard| drop(world.try_archive(yard, &ids(world))),
    },
    Scenario {
        name: "delete",
        arrange: |world, yard| {
            plant(world, yard);
            plant_copy(world, ids(world)[0]);
        },
        act: delete_all,
    },
    Scenario {
        name: "restore from the trash",
        arrange: planted_and_deleted,
        act: restore_first,
    },
    Scenario {
        name: "restore from the archive",
        arrange: planted_and_archived,
        act: restore_first,
    },
    Scenario {
        name: "empty",
        arrange: |world, yard| {
            plant(world, yard);
            for session in ids(world) {
                world.delete(yard, &[session]);
            }
        },
        act: |world, yard| {
            let _ = plan_empty(&world.trash(), Selection::All).apply(yard);
        },
    },
    Scenario {
        name: "add tombstones",
        arrange: plant,
        act: |_, yard| {
            let _ = add_tombstones(yard, &["another".to_owned(), "third".to_owned()]);
        },
    },
    Scenario {
        name: "lift tombstones",
        arrange: |world, yard| {
            plant(world, yard);
            add_tombstones(yard, &["another".to_owned(), "third".to_owned(), "fourth".to_owned()]).unwrap();
        },
        act: |_, yard| {
            let _ = remove_tombstones(yard, &["another".to_owned(), "third".to_owned()]);
        },
    },
    Scenario {
        name: "undo a delete",
        arrange: planted_and_deleted,
        act: undo,
    },
    Scenario {
        name: "undo an archive",
        arrange: planted_and_archived,
        act: undo,
    },
    Scenario {
        name: "undo a restore",
        arrange: |world, yard| {
            planted_and_deleted(world, yard);
            world.restore(yard, ids(world)[0]);
        },
        act: undo,
    },
    Scenario {
        name: "delete archived sessions",
        arrange: planted_and_archived,
        act: delete_all,
    },
    Scenario {
        name: "restore into the archive",
        arrange: |world, yard| {
            planted_and_archived(world, yard);
            world.delete(yard, &ids(world));
        },
        act: restore_first,
    },
    Scenario {
        name: "purge",
        arrange: |world, yard| {
            planted_and_deleted(world, yard);
            world.plant_small(9);
            world.delete(yard, &[crate::support::id(9)]);
        },
        act: |world, yard| {
            let trash = world.trash();
            let ours = trash.items.iter().find(|item| item.id == ids(world)[0].into());
            if let Some(item) = ours {
                let _ = plan_purge(&trash, &item.manifest.operation).apply(yard);
            }
        },
    },
    Scenario {
        name: "tidy stubs",
        arrange: |world, yard| {
            plant(world, yard);
            let (first, others) = (ids(world)[0], &ids(world)[1..]);
            world.archive(yard, &[first]);
            if !others.is_empty() {
                world.delete(yard, others);
            }
            leave_stubs(world);
        },
        act: |world, yard| {
            let (ground, tombstones) = (world.ground(), load_tombstones(&world.stones).unwrap());
            let survey = ground.survey();
            if let Ok(plan) = plan_tidy(yard, &survey, leftovers(&survey, &tombstones)) {
                let _ = plan.apply(yard, &survey);
            }
        },
    },
    Scenario {
        name: "restore over a stub",
        arrange: |world, yard| {
            planted_and_deleted(world, yard);
            leave_stubs(world);
        },
        act: restore_first,
    },
    Scenario {
        name: "archive again over a stub",
        arrange: |world, yard| {
            planted_and_archived(world, yard);
            leave_stubs(world);
        },
        act: |world, yard| {
            let requests: Vec<_> = ids(world).iter().map(|id| ArchiveRequest::Id(id.to_string())).collect();
            if let Ok(plan) = world.plan_archive(yard, &requests) {
                let _ = plan.apply(yard, &world.ground().survey());
            }
        },
    },
    Scenario {
        name: "undo tombstones",
        arrange: |world, yard| {
            plant(world, yard);
            add_tombstones(yard, &["another".to_owned(), "third".to_owned()]).unwrap();
        },
        act: undo,
    },
    Scenario {
        name: "delete retained sessions",
        arrange: |world, _| ids(world).into_iter().for_each(|session| plant_copy(world, session)),
        act: |world, yard| {
            let mut ground = world.ground();
            ground.retained = ids(world).into_iter().map(|session| retained(world, session)).collect();
            delete_within(world, yard, ground);
        },
    },
    Scenario {
        name: "restore from a copy",
        arrange: |world, yard| {
            plant(world, yard);
            set_apart(world, ids(world)[0]);
        },
        act: |world, yard| {
            restore_copy(world, yard, ids(world)[0]);
        },
    },
];

/// The scenario of this name.
pub(crate) fn scenario(name: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap()
}

fn plant(world: &World, _: &Yard<'_>) {
    for number in 1..=world.crew {
        world.plant_small(number);
    }
}

fn planted_and_deleted(world: &World, yard: &Yard<'_>) {
    plant(world, yard);
    world.delete(yard, &ids(world));
}

fn planted_and_archived(world: &World, yard: &Yard<'_>) {
    plant(world, yard);
    world.archive(yard, &ids(world));
}

/// What goes along with a session, as the vault's copy does.
fn plant_copy(world: &World, session: SessionId) {
    let copy = world.data.join("vault").join(session.as_str());
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join("pack"), "compressed").unwrap();
}

/// A session of which nothing but the copy is left.
fn retained(world: &World, session: SessionId) -> Retained {
    Retained {
        session,
        transcript: world.transcript(session),
        modified: None,
        facts: SessionFacts::default(),
    }
}

fn delete_all(world: &World, yard: &Yard<'_>) {
    delete_within(world, yard, world.ground());
}

fn delete_within(world: &World, yard: &Yard<'_>, mut ground: Ground<'_>) {
    let copies = world.data.join("vault");
    ground.along = Box::new(move |session| vec![copies.join(session.as_str())]);
    let survey = ground.survey();
    if let Ok(plan) = plan_delete(yard, &survey, &by_id(&ids(world))) {
        let _ = plan.apply(yard, &survey);
    }
}

fn restore_first(world: &World, yard: &Yard<'_>) {
    let _ = world.plan_restore(yard, ids(world)[0]).apply(yard);
}

fn undo(world: &World, yard: &Yard<'_>) {
    let ground = world.ground();
    if let Ok(plan) = plan_undo(yard, &ground.survey(), &world.trash(), &keeping_times()) {
        let _ = plan.apply(yard, &ground.survey());
    }
}

fn leave_stubs(world: &World) {
    for session in ids(world) {
        world.leave_stub(session);
    }
}
