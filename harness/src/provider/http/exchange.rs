//! Sends a request once, and reads its response whole or as a stream.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response as Reply};
use serde_json::Value;

use super::fault::CONNECTION;
use super::partial::{Partial, used};
use super::sse::SseParser;
use super::wire::Wire;
use super::{ExtraHeader, HttpProvider, fault, strike_out};
use crate::model::lenient_json;
use crate::provider::{CallSink, ProviderError, Request, Response};
use crate::text::StopWatch;

/// Maximum bytes of a response. No model writes that much, but a broken server may.
const LONGEST: usize = 64 << 20;

/// Maximum bytes read of an error's body.
const LONGEST_ERROR: usize = 1 << 20;

/// Returns what decides when to stop the response early, which is only possible if code comes in
/// blocks.
fn watch(request: &Request) -> Option<StopWatch> {
    let blocks = request.sampling.stop_after_blocks?;
    let in_blocks = request.caller.role.has_repl() && request.tools.is_off();
    in_blocks.then(|| StopWatch::new(blocks as usize))
}

impl HttpProvider {
    /// Sends a request once and reads its response.
    pub(super) async fn exchange(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let wire = self.endpoint.wire(&request.model);
        let watch = watch(request);
        let stream = self.stream || watch.is_some();
        let body = self.endpoint.body(request, stream).to_string();
        let url = self.url(wire, wire.path());
        let post = self
            .http
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let mut partial = Partial::new(wire, request, calls, self.experience.expect(request));
        let reply = self.send(post, stream).await.inspect_err(|error| {
            // Only after a response timeout may the server still be working on the request.
            if !matches!(error, ProviderError::Timeout { what, .. } if what != CONNECTION) {
                partial.end();
            }
        })?;
        let kind = reply
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        // Some servers do not stream even if requested.
        if kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/event-stream")) {
            return self.read_stream(wire, request, reply, watch, partial).await;
        }
        let text = self.read_whole(reply, LONGEST).await?;
        // A page from a proxy costs nothing; a truncated or broken response is billed like any
        // other.
        if !text
            .trim_start_matches(['\u{feff}', ' ', '\r', '\n'])
            .starts_with('{')
        {
            partial.end();
        }
        partial.arrived(&text);
        let body = self.parse(&text)?;
        let calls = partial.take();
        self.outcome(wire, request, &body, calls)
    }

    /// Sends a GET request for JSON.
    pub(super) async fn get(&self, wire: Wire, path: &str) -> Result<Value, ProviderError> {
        let get = self.http.client.get(self.url(wire, path));
        let limit = self.http.timeouts.idle;
        let reply = async {
            let reply = self.send(get, false).await?;
            self.read_whole(reply, LONGEST).await
        };
        let text = tokio::time::timeout(limit, reply)
            .await
            .unwrap_or_else(|_| Err(self.idle("response")))?;
        let body = self.parse(&text)?;
        match fault::of_error_object(self.name(), &body) {
            Some(error) => Err(error),
            None => Ok(body),
        }
    }

    fn url(&self, wire: Wire, path: &str) -> String {
        // The base URLs of the SDKs differ: with `/v1` for OpenAI, without it for Anthropic. For
        // Anthropic, both forms are accepted.
        let base = match wire {
            Wire::Messages => self.base_url.trim_end_matches("/v1"),
            _ => &self.base_url,
        };
        match &self.query {
            None => format!("{base}{path}"),
            Some(query) if path.contains('?') => format!("{base}{path}&{query}"),
            Some(query) => format!("{base}{path}?{query}"),
        }
    }

    async fn send(&self, request: RequestBuilder, stream: bool) -> Result<Reply, ProviderError> {
        let sending = request.headers(self.headers()).send();
        let sent = if stream {
            let limit = self.http.timeouts.idle;
            tokio::time::timeout(limit, sending)
                .await
                .map_err(|_| self.idle("response"))?
        } else {
            sending.await
        };
        let reply = sent.map_err(|error| self.transport(&error))?;
        let status = reply.status().as_u16();
        if (200..300).contains(&status) {
            return Ok(reply);
        }
        let headers = reply.headers().clone();
        // What was received before a break still counts.
        let body = self
            .read_whole(reply, LONGEST_ERROR)
            .await
            .unwrap_or_default();
        Err(fault::of_status(
            self.name(),
            status,
            &headers,
            &body,
            SystemTime::now(),
        ))
    }

    /// Returns the headers. A header of the user replaces one of the endpoint, and a header that
    /// carries a key replaces that of the endpoint's key.
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.endpoint.headers {
            if let (Ok(name), Ok(value)) =
                (name.parse::<HeaderName>(), HeaderValue::from_str(value))
            {
                headers.insert(name, value);
            }
        }
        let has_key = |header: &ExtraHeader| self.endpoint.carries_key_in(header.name());
        if let Some(key) = &self.key
            && !self.headers.iter().any(has_key)
        {
            let (name, value) = self.endpoint.key_header(key.reveal());
            if let (Ok(name), Ok(mut value)) =
                (name.parse::<HeaderName>(), HeaderValue::from_str(&value))
            {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        for (name, value) in self.headers.iter().map(ExtraHeader::sent) {
            headers.insert(name, value);
        }
        headers
    }

    async fn read_whole(&self, mut reply: Reply, longest: usize) -> Result<String, ProviderError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk(&mut reply).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > longest {
                return Err(self.garbled(format!("it is longer than {longest} bytes")));
            }
        }
        Ok(strike_out(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Returns the next piece of a body, or `None` at its end.
    async fn chunk(&self, reply: &mut Reply) -> Result<Option<Vec<u8>>, ProviderError> {
        let next = tokio::time::timeout(self.http.timeouts.idle, reply.chunk()).await;
        let chunk = next
            .map_err(|_| self.idle("more of the response"))?
            .map_err(|error| fault::of_break(self.name(), &error))?;
        Ok(chunk.map(|bytes| bytes.to_vec()))
    }

    fn parse(&self, text: &str) -> Result<Value, ProviderError> {
        // Some servers start with a byte-order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        lenient_json::from_str(text).map_err(|error| {
            self.garbled(format!("it is not JSON ({error}): {}", fault::quote(text)))
        })
    }

    async fn read_stream(
        &self,
        wire: Wire,
        request: &Request,
        mut reply: Reply,
        mut watch: Option<StopWatch>,
        mut partial: Partial<'_>,
    ) -> Result<Response, ProviderError> {
        let mut parser = SseParser::default();
        let mut length = 0;
        let mut open = true;
        while open {
            let events = if let Some(bytes) = self.chunk(&mut reply).await? {
                length += bytes.len();
                parser.take(&bytes)
            } else {
                open = false;
                parser.end().into_iter().collect()
            };
            if length > LONGEST {
                return Err(self.garbled(format!("it is longer than {LONGEST} bytes")));
            }
            for mut event in events {
                event.data = strike_out(event.data);
                if let Some(error) = fault::of_event(self.name(), &event) {
                    partial.end();
                    return Err(error);
                }
                // Some servers keep the connection alive with empty events.
                if event.data.trim().is_empty() {
                    continue;
                }
                let last = match partial.assembly.take(&event) {
                    Ok(last) => last,
                    // The standard ignores an incomplete event at the end of the stream. Whether
                    // the response lacks its end is checked below.
                    Err(_) if !open => continue,
                    Err(problem) => {
                        partial.arrived(&event.data);
                        return Err(self.garbled(problem));
                    }
                };
                if let Some(watch) = &mut watch
                    && let Some(end) = watch.end_of_last_block(partial.assembly.text())
                {
                    let body = partial.whole(false).unwrap_or_default();
                    let mut response = self.read(wire, request, &body)?;
                    let counted = response.usage.filter(|usage| !usage.estimated);
                    response.text =
                        lenient_json::join_text(&partial.assembly.text()[..end]).into_owned();
                    response.usage = Some(used(counted, request, &response));
                    partial.take();
                    return Ok(response);
                }
                open &= !last;
            }
        }
        partial.end();
        let body = partial.whole(true).ok_or_else(|| ProviderError::Cut {
            provider: self.name().to_owned(),
            message: "the stream ended in the middle of it".to_owned(),
        })?;
        self.outcome(wire, request, &body, partial.take())
    }

    fn idle(&self, what: &str) -> ProviderError {
        ProviderError::Timeout {
            provider: self.name().to_owned(),
            what: what.to_owned(),
            after: self.http.timeouts.idle,
        }
    }

    fn transport(&self, error: &reqwest::Error) -> ProviderError {
        let server = format!("{} at {}", self.name(), self.address);
        fault::of_transport(server, error, self.http.timeouts.connect)
    }
}
