//! The SDK's client, set up from the settings.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use aws_config::environment::EnvironmentVariableRegionProvider;
use aws_config::meta::region::RegionProviderChain;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region};
use aws_sdk_s3::Client;
use aws_sdk_s3::config::interceptors::BeforeDeserializationInterceptorContextRef;
use aws_sdk_s3::config::{
    ConfigBag, Intercept, RequestChecksumCalculation, ResponseChecksumValidation, RuntimeComponents,
};
use aws_sdk_s3::error::BoxError;
use aws_smithy_http_client::{Builder, tls};

use crate::config::Store;
use crate::telemetry::names;

/// Tries of one request; between them the SDK waits up to [`BACKOFF`], with jitter.
const ATTEMPTS: u32 = 6;
const BACKOFF: Duration = Duration::from_secs(10);
const ANY_REGION: &str = "us-east-1";
const CONNECT: Duration = Duration::from_secs(5);
/// Silence of a server after which a request is tried again.
const SILENCE: Duration = Duration::from_secs(30);

/// A client; the credentials are looked for with its first request.
pub(super) async fn connect(store: &Store) -> Client {
    let http = Builder::new().tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring));
    let timeouts = TimeoutConfig::builder().connect_timeout(CONNECT).read_timeout(SILENCE).build();
    let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_max_backoff(BACKOFF);
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http.build_https())
        .timeout_config(timeouts)
        .retry_config(retries);
    if !store.endpoint.is_empty() {
        loader = loader.endpoint_url(&store.endpoint);
        // Such a server takes any region; without one the SDK would ask the cloud's address for metadata.
        let variables = EnvironmentVariableRegionProvider::new();
        let provider = RegionProviderChain::first_try(variables).or_else(Region::from_static(ANY_REGION));
        loader = loader.region(provider);
    }
    if !store.region.is_empty() {
        loader = loader.region(Region::new(store.region.clone()));
    }
    let shared = loader.load().await;
    // AWS's answer to a wrong region names the right one.
    let region = shared.region().cloned().unwrap_or(Region::from_static(ANY_REGION));
    let config = aws_sdk_s3::config::Builder::from(&shared)
        .region(region)
        .force_path_style(store.path_style)
        // The SDK's default trailers are unknown to older servers.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
        .interceptor(Counter)
        .build();
    Client::from_conf(config)
}

/// Counts every answer, those that are tried again included.
#[derive(Debug)]
struct Counter;

impl Intercept for Counter {
    fn name(&self) -> &'static str {
        "pagesieve counter"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let code = context.response().status().as_u16();
        metrics::counter!(names::S3_REQUESTS, "code" => class(code)).increment(1);
        Ok(())
    }
}

/// A code with a meaning of its own, else its hundred: labels are from a bounded set.
fn class(code: u16) -> &'static str {
    match code {
        200..=299 => "2xx",
        403 => "403",
        404 => "404",
        409 => "409",
        412 => "412",
        500 => "500",
        503 => "503",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    }
}

/// Waits before try number `tried` + 1 of what the SDK does not repeat by itself.
pub(super) async fn pause(tried: u32) {
    let random = RandomState::new().build_hasher().finish() % 1000;
    let longest = Duration::from_millis(200) * 2_u32.saturating_pow(tried.min(5));
    tokio::time::sleep(longest.mul_f64(0.25 + 0.75 * random as f64 / 1000.0)).await;
}
