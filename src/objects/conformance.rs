//! What every storage must do; each of them runs this.

use std::sync::Arc;

use super::{Created, ObjectError, ObjectKey, ObjectMeta, Objects};

fn key(text: &str) -> ObjectKey {
    ObjectKey::new(text).unwrap()
}

/// Reads, writes, lists, moves and deletes in an empty storage, and leaves some objects behind.
pub(super) async fn conformance(store: &dyn Objects) {
    let (a, limit) = (key("d/a"), 1 << 20);
    assert_eq!(store.head(&a).await.unwrap(), None);
    assert!(matches!(store.get(&a, limit, None).await, Err(ObjectError::NotFound(_))));
    store.put(&a, b"12345".to_vec()).await.unwrap();
    let meta = store.head(&a).await.unwrap().unwrap();
    assert_eq!((meta.size_bytes, &meta.key), (5, &a));
    assert_eq!(store.get(&a, limit, Some(&meta.etag)).await.unwrap(), b"12345");
    assert_eq!(store.get_range(&a, 1..3, None).await.unwrap(), b"23");
    assert_eq!(store.get_range(&a, 4..9, None).await.unwrap(), b"5");
    let refused = store.get(&a, 4, None).await;
    assert!(matches!(refused, Err(ObjectError::TooLarge { size_bytes: 5, .. })), "{refused:?}");

    assert_eq!(store.put_if_absent(&a, b"x".to_vec()).await.unwrap(), Created::Exists);
    store.put(&a, b"other".to_vec()).await.unwrap();
    let stale = store.get(&a, limit, Some(&meta.etag)).await;
    assert!(matches!(stale, Err(ObjectError::Changed(_))), "{stale:?}");
    assert_eq!(store.put_if_absent(&key("d/a.b"), b"x".to_vec()).await.unwrap(), Created::Yes);

    for more in ["d/a0", "d/a/", "da", "e/f/g", "d/a!"] {
        if let Ok(key) = ObjectKey::new(more) {
            store.put(&key, Vec::new()).await.unwrap();
        }
    }
    let names = |list: Vec<ObjectMeta>| list.iter().map(|m| m.key.to_string()).collect::<Vec<_>>();
    let all = ["d/a", "d/a!", "d/a.b", "d/a0", "da", "e/f/g"];
    assert_eq!(names(store.list("", None, 99).await.unwrap()), all);
    assert_eq!(names(store.list("d/a", None, 99).await.unwrap()), all[..4]);
    assert_eq!(names(store.list("e", Some("d/a"), 99).await.unwrap()), all[5..]);
    let mut paged = Vec::new();
    loop {
        let page = names(store.list("", paged.last().map(String::as_str), 2).await.unwrap());
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, all);

    std::fs::create_dir_all(store.scratch()).unwrap();
    let file = store.scratch().join("f");
    std::fs::write(&file, b"moved").unwrap();
    store.put_file(&key("e/moved"), &file).await.unwrap();
    assert!(!file.exists());
    let local = store.local_file(&key("e/moved"), &store.scratch()).await.unwrap();
    assert_eq!(std::fs::read(local).unwrap(), b"moved");

    for round in ["first", "again"] {
        let folder = store.scratch().join("f");
        std::fs::create_dir_all(folder.join("x/y")).unwrap();
        std::fs::write(folder.join("x/y/1"), round).unwrap();
        if round == "first" {
            std::fs::write(folder.join("x/gone"), "").unwrap();
        }
        store.put_folder(&key("t/job=1"), &folder).await.unwrap();
    }
    assert_eq!(names(store.list("t/", None, 9).await.unwrap()), ["t/job=1/x/y/1"]);
    assert_eq!(store.get(&key("t/job=1/x/y/1"), 9, None).await.unwrap(), b"again");
    let _ = std::fs::remove_dir_all(store.scratch().join("f"));

    store.delete(&a).await.unwrap();
    store.delete(&a).await.unwrap();
    assert_eq!(store.head(&a).await.unwrap(), None);
}

/// Of 16 writers one wins, and its bytes are what is read.
pub(super) async fn race(store: Arc<dyn Objects>) {
    for round in 0..20 {
        let tasks = (0..16_u8).map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                (n, store.put_if_absent(&key(&format!("race/{round}")), vec![n; 100]).await.unwrap())
            })
        });
        let mut winners = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            let (n, created) = task.await.unwrap();
            if created == Created::Yes {
                winners.push(n);
            }
        }
        assert_eq!(winners.len(), 1);
        let bytes = store.get(&key(&format!("race/{round}")), 1000, None).await.unwrap();
        assert_eq!(bytes, vec![winners[0]; 100]);
    }
}
