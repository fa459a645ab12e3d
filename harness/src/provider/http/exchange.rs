//! Sends one HTTP request and reads the response, streamed or not.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response as Reply};
use serde_json::Value;

use super::fallback::RequestFallback;
use super::fault::CONNECTION;
use super::partial::{PendingResponse, used};
use super::request_log::without_keys;
use super::sse::SseParser;
use super::wire::Wire;
use super::{ExtraHeader, HttpProvider, fault, redact};
use crate::model::lenient_json;
use crate::provider::{CallSink, ProviderError, Request, Response, label, response_mut};
use crate::text::StopWatch;

/// Maximum bytes of a response. Models never write that much, but a broken server might.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Maximum bytes of an error's body.
const MAX_ERROR_BYTES: usize = 1 << 20;

/// Messages of a 404 that do not name what was not found, in lowercase.
const GENERIC_NOT_FOUND: [&str; 7] = [
    "404 page not found",
    "404 not found",
    "404: not found",
    "not found",
    "notfound",
    "page not found",
    "no error message",
];

/// Characters that may precede the content of a body.
const BLANKS: [char; 5] = ['\u{feff}', ' ', '\t', '\r', '\n'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyFormat {
    /// Server-sent events.
    Events,
    /// Anything else. It is parsed after it has been read completely.
    Whole,
}

impl BodyFormat {
    /// Returns the format of a body that begins with `start`, or `None` if more bytes are needed.
    /// The content type `kind` is only a hint, because some servers and proxies send events with
    /// another content type, or send other bodies with the content type of events.
    fn of(start: &[u8], kind: &str) -> Option<Self> {
        const FIELDS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];
        let text = String::from_utf8_lossy(start);
        let text = text.trim_start_matches(BLANKS);
        if kind.starts_with("text/event-stream") {
            let first = text.chars().next()?;
            let is_json = first == '{' || first == '[';
            return Some(if is_json { Self::Whole } else { Self::Events });
        }
        if FIELDS.iter().any(|field| text.starts_with(field)) {
            return Some(Self::Events);
        }
        let may_begin = FIELDS.iter().any(|field| field.starts_with(text));
        (!may_begin).then_some(Self::Whole)
    }
}

/// Headers in which servers and gateways return the id of a request, by priority.
const REQUEST_IDS: [&str; 2] = ["x-request-id", "request-id"];

/// Returns the id of a request from the headers of its response.
fn request_id(headers: &HeaderMap) -> Option<String> {
    let values = REQUEST_IDS.iter().filter_map(|name| headers.get(*name));
    let mut ids = values.filter_map(|value| label(value.to_str().ok()?));
    ids.next()
}

/// Sets the request id of a response whose body does not contain one.
fn with_request_id(
    mut result: Result<Response, ProviderError>,
    id: Option<String>,
) -> Result<Response, ProviderError> {
    if let Some(response) = response_mut(&mut result) {
        response.request_id = response.request_id.take().or(id);
    }
    result
}

/// Removes the event `data: [DONE]` from the end of a response that is not streamed.
fn without_done(text: &str) -> &str {
    let rest = text.trim_end().strip_suffix("[DONE]");
    let rest = rest.and_then(|rest| rest.trim_end().strip_suffix("data:"));
    rest.unwrap_or(text)
}

/// Returns the watch that stops a response after its code blocks, if the settings request it and
/// the agent writes code blocks.
fn watch(request: &Request) -> Option<StopWatch> {
    let blocks = request.sampling.stop_after_blocks?;
    let in_blocks = request.caller.role.has_repl() && request.tools.is_off();
    in_blocks.then(|| StopWatch::new(blocks as usize))
}

impl HttpProvider {
    /// Sends a request and reads its response. If the server rejects a field that has an
    /// alternative, sends the request again with the alternative. A rejected request costs nothing.
    pub(super) async fn exchange(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let stream = self.stream || watch(request).is_some();
        let mut body = self.endpoint.body(request, stream);
        self.fallbacks.apply(&request.model, &mut body);
        let mut result = self.exchange_body(request, &body, stream, calls).await;
        let mut tried = Vec::new();
        while let Err(error) = &result
            && let Some(fallback) = RequestFallback::of(error, &body)
            && !tried.contains(&fallback)
        {
            tried.push(fallback);
            fallback.apply(&mut body);
            let again = self.exchange_body(request, &body, stream, calls).await;
            // Keep the first rejection, because it is about the request as configured.
            let is_refused = matches!(&again, Err(error @ ProviderError::Refused { .. })
                if RequestFallback::of(error, &body).is_none());
            if is_refused {
                break;
            }
            self.fallbacks.keep(&request.model, fallback);
            result = again;
        }
        result
    }

    /// Sends a body once and reads the response.
    async fn exchange_body(
        &self,
        request: &Request,
        body: &Value,
        stream: bool,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let wire = self.endpoint.wire(&request.model);
        let watch = watch(request);
        if let Some(log) = &self.http.log {
            log.sent(&request.caller, &without_keys(body).to_string());
        }
        let body = body.to_string();
        let url = self.url(wire, wire.path());
        let post = self
            .http
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let mut partial =
            PendingResponse::new(wire, request, calls, self.experience.expect(request));
        let sent = self.send(post, stream).await;
        let sent = sent.map_err(|error| self.with_address(error, wire, wire.path()));
        let mut reply = sent.inspect_err(|error| {
            // After any error except a response timeout, the server is not processing the request.
            if !matches!(error, ProviderError::Timeout { what, .. } if what != CONNECTION) {
                partial.end();
            }
        })?;
        let id = request_id(reply.headers());
        let kind = reply
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let mut start = Vec::new();
        let form = loop {
            if let Some(form) = BodyFormat::of(&start, &kind) {
                break form;
            }
            match self.chunk(&mut reply).await? {
                Some(bytes) => start.extend_from_slice(&bytes),
                None => break BodyFormat::Whole,
            }
        };
        if form == BodyFormat::Events {
            let result = self
                .read_stream(wire, request, start, reply, watch, partial)
                .await;
            return with_request_id(result, id);
        }
        let text = self.read_whole(start, reply, MAX_RESPONSE_BYTES).await?;
        // An HTML page from a proxy costs nothing. A truncated or invalid response is billed like
        // any other.
        let begins = text.trim_start_matches(BLANKS);
        if begins.is_empty() || begins.starts_with('<') || kind.starts_with("text/html") {
            partial.end();
        }
        partial.arrived(&text);
        let body = self.parse(&text)?;
        let calls = partial.take();
        with_request_id(self.outcome(wire, request, &body, calls), id)
    }

    /// Sends a GET request for JSON.
    pub(super) async fn get(&self, wire: Wire, path: &str) -> Result<Value, ProviderError> {
        let get = self.http.client.get(self.url(wire, path));
        let limit = self.http.timeouts.idle;
        let reply = async {
            let reply = self.send(get, false).await;
            let reply = reply.map_err(|error| self.with_address(error, wire, path))?;
            self.read_whole(Vec::new(), reply, MAX_RESPONSE_BYTES).await
        };
        let text = tokio::time::timeout(limit, reply)
            .await
            .unwrap_or_else(|_| Err(self.idle("response")))?;
        let body = self.parse(&text)?;
        match fault::error_object_error(self.name(), &body) {
            Some(error) => Err(error),
            None => Ok(body),
        }
    }

    /// Returns the base URL. The base URLs of the SDKs differ: with `/v1` for `OpenAI`, without it
    /// for Anthropic. For Anthropic, accepts both forms.
    fn base(&self, wire: Wire) -> &str {
        match wire {
            Wire::Messages => self.base_url.trim_end_matches("/v1"),
            _ => &self.base_url,
        }
    }

    fn url(&self, wire: Wire, path: &str) -> String {
        let base = self.base(wire);
        match &self.query {
            None => format!("{base}{path}"),
            Some(query) if path.contains('?') => format!("{base}{path}&{query}"),
            Some(query) => format!("{base}{path}?{query}"),
        }
    }

    /// Adds the address to the message of an unspecific 404, because the base URL may be wrong.
    fn with_address(&self, error: ProviderError, wire: Wire, path: &str) -> ProviderError {
        // A specific message is about something else, such as an unknown model.
        let is_bare = matches!(&error, ProviderError::Refused { status: 404, message, .. }
            if message.starts_with('<')
                || GENERIC_NOT_FOUND.contains(&&*message.to_lowercase()));
        if !is_bare {
            return error;
        }
        let base = self.base(wire);
        let is_version = |part: &str| {
            part.starts_with('v') && part[1..].starts_with(|char: char| char.is_ascii_digit())
        };
        let hint = if wire == Wire::Messages || base.split('/').any(is_version) {
            String::new()
        } else {
            format!("; most servers expect a base URL that ends in /v1: {base}/v1")
        };
        error.map_message(|message| format!("{message} (no endpoint at {base}{path}{hint})"))
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
        // If the connection breaks, the status is reported without the server's message.
        let body = self
            .read_whole(Vec::new(), reply, MAX_ERROR_BYTES)
            .await
            .unwrap_or_default();
        Err(fault::status_error(
            self.name(),
            status,
            &headers,
            &body,
            SystemTime::now(),
        ))
    }

    /// Returns the headers of a request. The user's headers replace the endpoint's headers with the
    /// same names. If the user sets a header that carries a key, the endpoint's key is not sent.
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

    /// Reads a body to its end. `bytes` is the part that was already read.
    async fn read_whole(
        &self,
        mut bytes: Vec<u8>,
        mut reply: Reply,
        longest: usize,
    ) -> Result<String, ProviderError> {
        while let Some(chunk) = self.chunk(&mut reply).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > longest {
                return Err(self.garbled(format!("it is longer than {longest} bytes")));
            }
        }
        Ok(redact(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Returns the next piece of a body, or `None` at its end.
    async fn chunk(&self, reply: &mut Reply) -> Result<Option<Vec<u8>>, ProviderError> {
        let next = tokio::time::timeout(self.http.timeouts.idle, reply.chunk()).await;
        let chunk = next
            .map_err(|_| self.idle("further data"))?
            .map_err(|error| fault::interrupted_error(self.name(), &error))?;
        Ok(chunk.map(|bytes| bytes.to_vec()))
    }

    fn parse(&self, text: &str) -> Result<Value, ProviderError> {
        // Some servers send a byte-order mark first.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Some servers add the end of a stream to a response that is not streamed.
        let text = without_done(text);
        lenient_json::from_str(text).map_err(|error| {
            self.garbled(format!("it is not JSON ({error}): {}", fault::quote(text)))
        })
    }

    /// Reads a streamed response. `start` is the part that was already read.
    async fn read_stream(
        &self,
        wire: Wire,
        request: &Request,
        start: Vec<u8>,
        mut reply: Reply,
        mut watch: Option<StopWatch>,
        mut partial: PendingResponse<'_>,
    ) -> Result<Response, ProviderError> {
        let mut parser = SseParser::default();
        let mut length = 0;
        let mut open = true;
        let mut start = Some(start);
        while open {
            let next = match start.take() {
                None => self.chunk(&mut reply).await?,
                start => start,
            };
            let events = if let Some(bytes) = next {
                length += bytes.len();
                parser.take(&bytes)
            } else {
                open = false;
                parser.end().into_iter().collect()
            };
            if length > MAX_RESPONSE_BYTES {
                return Err(self.garbled(format!("it is longer than {MAX_RESPONSE_BYTES} bytes")));
            }
            for mut event in events {
                event.data = redact(event.data);
                if let Some(error) = fault::event_error(self.name(), &event) {
                    partial.end();
                    return Err(error);
                }
                // Some servers keep the connection alive with empty events.
                if event.data.trim().is_empty() {
                    continue;
                }
                let last = match partial.assembly.take(&event) {
                    Ok(last) => last,
                    // The standard discards an incomplete event at the end of a stream. Here it is
                    // used if it is valid. The check that the response is complete follows below.
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
            message: "the stream ended before the response was complete".to_owned(),
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
        let proxy = self.proxy.as_ref().filter(|_| error.is_connect());
        let proxy = proxy.map(|proxy| format!(" through the proxy {proxy}"));
        let proxy = proxy.unwrap_or_default();
        let server = format!("{} at {}{proxy}", self.name(), self.address);
        fault::transport_error(server, error, self.http.timeouts.connect)
    }
}
