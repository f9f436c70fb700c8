//! What holds on every system.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Instant;

use super::*;

const LONG: Duration = Duration::from_mins(1);

#[test]
fn a_wait_ends_at_its_time_or_when_a_source_is_ready() {
    let (bell, mut ringer) = bell().unwrap();
    let began = Instant::now();
    assert!(!wait(&[bell.source()], began + Duration::from_millis(3)));
    assert!(began.elapsed() >= Duration::from_millis(3));
    let (other, _ringer) = super::bell().unwrap();
    let ringing = thread::spawn(move || {
        ringer.ring().unwrap();
        ringer
    });
    assert!(wait(&[other.source(), bell.source()], began + LONG));
    bell.hear();
    assert!(!wait(&[bell.source()], Instant::now()));
    drop(ringing.join().unwrap());
    assert!(wait(&[bell.source()], began + LONG) && began.elapsed() < LONG);
}

#[test]
fn reads_and_writes_do_not_block() {
    let (reader, writer) = io::pipe().unwrap();
    let (mut reader, mut writer) = (PipeReader::new(reader).unwrap(), PipeWriter::new(writer).unwrap());
    let mut buffer = vec![0; 1 << 20];
    assert_eq!(reader.read(&mut buffer), PipeRead::Nothing);
    let written = writer.write(&buffer).unwrap();
    assert!(written > 0 && written < buffer.len() && !writer.is_empty());
    assert_eq!(writer.write(&buffer).unwrap(), 0);
    assert!(!wait(&[writer.room()], Instant::now()));
    let mut read = 0;
    while let PipeRead::Bytes(bytes) = reader.read(&mut buffer) {
        read += bytes;
    }
    assert!(read == written && writer.is_empty() && wait(&[writer.room()], Instant::now()));
    drop(writer);
    // A program that another thread is starting may still have it open.
    let ended = (0..1000).any(|_| {
        wait(&[reader.source()], Instant::now() + Duration::from_millis(5));
        reader.read(&mut buffer) == PipeRead::End
    });
    assert!(ended);
}

#[test]
fn a_file_is_the_same_under_each_of_its_names() {
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let id = FileId::at(&file("Cargo.toml"));
    assert!(id.is_some() && id == FileId::of(&File::open(file("src/../Cargo.toml")).unwrap()));
    assert_ne!(id, FileId::at(&file("src/lib.rs")));
    assert_eq!(FileId::at(&file("src")), None);
    let named = |name: &str| NamedFile::at(&file(name));
    assert_eq!(named("src/../Cargo.toml"), named("Cargo.toml"));
    assert_eq!(named("src/../no file"), named("no file"));
    assert_ne!(named("no file"), named("src/no file"));
    assert_eq!((named("src"), named("no folder/no file")), (None, None));
    let (one, other, manifest) = (file("no file"), file("src/../no file"), file("Cargo.toml"));
    assert_eq!(find_named_twice([("a", &*one), ("b", &*manifest), ("c", &*other)]), Some(("a", "c")));
    assert_eq!(find_named_twice([("a", &*one), ("b", &*manifest)]), None);
}
