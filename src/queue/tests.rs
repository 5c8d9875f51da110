//! On a real broker: `PAGESIEVE_TEST_AMQP`, which `test.sh` starts; each test has queues of its own there, and a missing
//! broker fails.

use std::time::Duration;

use super::*;

fn broker() -> Broker {
    let url = std::env::var("PAGESIEVE_TEST_AMQP").expect("PAGESIEVE_TEST_AMQP names a broker");
    let prefix = format!("test-{}", uuid::Uuid::now_v7().simple());
    Broker::new(&url, Topology::new(prefix), "test").unwrap()
}

/// Removes the queues of a test that passed.
async fn clean_up(broker: &Broker) {
    let session = broker.session().await.unwrap();
    let channel = session.channel().await.unwrap();
    for queue in broker.topology().queues() {
        channel.queue_delete(queue.as_str().into(), Default::default()).await.unwrap();
    }
    for exchange in [broker.topology().exchange(), broker.topology().dead_exchange()] {
        channel.exchange_delete(exchange.as_str().into(), Default::default()).await.unwrap();
    }
}

fn outgoing(body: &str) -> Outgoing {
    Outgoing { body: body.into(), content_type: "application/json", ..Outgoing::default() }
}

fn document(n: usize) -> Outgoing {
    outgoing(&format!(r#"{{"type":"document","uri":"s3://b/{n:05}.pdf"}}"#))
}

fn uri(message: &Result<Message, String>) -> &str {
    match message {
        Ok(Message::Document(document)) => &document.uri,
        other => panic!("{other:?}"),
    }
}

async fn messages(broker: &Broker, queue: &str) -> u64 {
    let states = broker.queue_states(&[queue.to_owned()]).await.unwrap();
    states.into_iter().next().unwrap().1.unwrap().messages
}

/// Waits until a queue holds `n` messages: quorum queues count with a delay.
async fn holds(broker: &Broker, queue: &str, n: u64) {
    let mut seen = 0;
    for _ in 0..100 {
        seen = messages(broker, queue).await;
        if seen == n {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("`{queue}` holds {seen} messages, not {n}");
}

#[tokio::test]
async fn what_is_confirmed_is_delivered_once_in_order_and_gone_when_settled() {
    let broker = broker();
    let queue = broker.topology().documents();
    let mut publisher = Publisher::new(broker.clone());
    let sent: Vec<Outgoing> = (0..1500).map(document).collect();
    let window = publisher.publish(&queue, &sent).await.unwrap();
    assert!(window.problem.is_none() && window.confirmed.iter().all(|confirmed| *confirmed));
    let mut consumer = Consumer::new(broker.clone());
    let mut uris = Vec::new();
    while uris.len() < 1500 {
        let batch = consumer.next().await.unwrap();
        uris.extend(batch.messages.iter().map(|message| uri(message).to_owned()));
        consumer.settle(batch, &[]).await.unwrap();
    }
    assert_eq!(uris, (0..1500).map(|n| format!("s3://b/{n:05}.pdf")).collect::<Vec<_>>());
    drop(consumer);
    holds(&broker, &queue, 0).await;
    clean_up(&broker).await;
}

#[tokio::test]
async fn what_was_not_settled_comes_again() {
    let broker = broker();
    let queue = broker.topology().documents();
    Publisher::new(broker.clone()).publish(&queue, &[document(1), document(2)]).await.unwrap();
    let mut consumer = Consumer::new(broker.clone());
    assert_eq!(consumer.next().await.unwrap().messages.len(), 2);
    drop(consumer);
    let mut consumer = Consumer::new(broker.clone());
    let batch = consumer.next().await.unwrap();
    assert_eq!(batch.messages.len(), 2);
    consumer.settle(batch, &[]).await.unwrap();
    holds(&broker, &queue, 0).await;
    clean_up(&broker).await;
}

#[tokio::test]
async fn what_cannot_be_read_or_is_refused_is_a_dead_letter_with_its_reason() {
    let broker = broker();
    let queue = broker.topology().documents();
    let sent = [document(1), outgoing("nonsense"), document(2), outgoing(r#"{"type":"document","uri":""}"#)];
    Publisher::new(broker.clone()).publish(&queue, &sent).await.unwrap();
    let mut consumer = Consumer::new(broker.clone());
    let batch = consumer.next().await.unwrap();
    assert_eq!(batch.messages.iter().filter(|message| message.is_err()).count(), 2);
    consumer.settle(batch, &[(2, "job `x` is closed".to_owned())]).await.unwrap();
    drop(consumer);
    holds(&broker, &Topology::dead(&queue), 3).await;
    let mut letters = dead_letters(&broker, &queue, 10, false).await.unwrap();
    letters.sort_by(|a, b| a.reason.cmp(&b.reason));
    assert_eq!(letters.len(), 3);
    assert_eq!(letters[0].reason, "`uri` is empty");
    assert_eq!(letters[1].body, document(2).body);
    assert_eq!(letters[1].reason, "job `x` is closed");
    assert!(letters[2].reason.starts_with("not a document message"), "{}", letters[2].reason);
    // Looked at, they stay; replayed, they are where they came from.
    holds(&broker, &Topology::dead(&queue), 3).await;
    assert_eq!(dead_letters(&broker, &queue, 10, true).await.unwrap().len(), 3);
    holds(&broker, &queue, 3).await;
    holds(&broker, &Topology::dead(&queue), 0).await;
    clean_up(&broker).await;
}

#[tokio::test]
async fn a_lost_queue_is_told_and_declared_again() {
    let broker = broker();
    let queue = broker.topology().ocr();
    let mut publisher = Publisher::new(broker.clone());
    publisher.publish(&queue, &[document(1)]).await.unwrap();
    let session = broker.session().await.unwrap();
    let channel = session.channel().await.unwrap();
    channel.queue_delete(queue.as_str().into(), Default::default()).await.unwrap();
    let window = publisher.publish(&queue, &[document(2)]).await.unwrap();
    assert_eq!(window.confirmed, [false]);
    assert!(matches!(window.problem, Some(QueueError::Unroutable { .. })), "{:?}", window.problem);
    let window = publisher.publish(&queue, &[document(2)]).await.unwrap();
    assert_eq!(window.confirmed, [true]);
    holds(&broker, &queue, 1).await;
    clean_up(&broker).await;
}

#[tokio::test]
async fn declaring_twice_changes_nothing_and_other_properties_are_told() {
    let broker = broker();
    broker.declare().await.unwrap();
    broker.declare().await.unwrap();
    let session = broker.session().await.unwrap();
    let channel = session.channel().await.unwrap();
    let queue = broker.topology().ocr();
    channel.queue_delete(queue.as_str().into(), Default::default()).await.unwrap();
    let classic = lapin::options::QueueDeclareOptions::durable();
    channel.queue_declare(queue.as_str().into(), classic, Default::default()).await.unwrap();
    let error = broker.declare().await.unwrap_err();
    assert!(matches!(&error, QueueError::Mismatch { name, .. } if *name == queue), "{error:?}");
    assert!(!error.is_transient());
    channel.queue_delete(queue.as_str().into(), Default::default()).await.unwrap();
    clean_up(&broker).await;
}

#[tokio::test]
async fn wrong_addresses_and_credentials_are_told_apart_and_passwords_kept() {
    let at = |url: &str| Broker::new(url, Topology::new("p"), "test").unwrap();
    let error = at("amqp://u:hunter2@127.0.0.1:1/%2f").declare().await.unwrap_err();
    assert!(matches!(error, QueueError::Unreachable { .. }), "{error:?}");
    let url = std::env::var("PAGESIEVE_TEST_AMQP").unwrap();
    let host = url.split('@').next_back().unwrap().trim_start_matches("amqp://");
    let stranger = at(&format!("amqp://nobody:hunter2@{host}"));
    let error = stranger.declare().await.unwrap_err();
    assert!(matches!(error, QueueError::Refused { .. }), "{error:?}");
    let said = format!("{error} {error:?} {stranger:?}");
    assert!(said.contains("nobody") && !said.contains("hunter2"), "{said}");
    assert!(matches!(Broker::new("http://x", Topology::new("p"), "test"), Err(QueueError::Url(_))));
}
