import {
  AFTERWARDS,
  doubleQuoted,
  hasPrefix,
  hasTemplate,
  interpolated,
  keyComment,
  lines,
  loggedHeaders,
  NO_MATCH,
  OLD,
  RAW,
  SEVERAL,
  snake,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Field, Mixed, Plan, Reading } from '../plan.ts'

/** Rust's standard library has no regular expressions: the header is cut at its texts. */
function cuts({ template, fields }: Reading & { readonly template: Mixed }, failure: string): string[] {
  const made: string[] = []
  const open = new Set(fields)
  let waiting: Field | null = null
  const name = (field: Field | null) => (field !== null && open.delete(field) ? snake(field) : '_')
  for (const [at, part] of template.entries()) {
    if (typeof part !== 'string') {
      waiting = part.field
      continue
    }
    const text = doubleQuoted(part)
    const isLast = at === template.length - 1
    if (at === 0) made.push(`let value = value.strip_prefix(${text}).ok_or(${failure})?;`)
    else if (isLast) made.push(`let ${name(waiting)} = value.strip_suffix(${text}).ok_or(${failure})?;`)
    else made.push(`let (${name(waiting)}, value) = value.split_once(${text}).ok_or(${failure})?;`)
    waiting = null
  }
  if (waiting !== null && open.has(waiting)) made.push(`let ${name(waiting)} = value;`)
  return made
}

function reading(read: Reading): string {
  const get = `headers.get(${doubleQuoted(read.header.toLowerCase())})`
  if (!hasTemplate(read)) {
    return `    let ${snake(read.fields[0]!)} = ${get}.ok_or(${doubleQuoted(`${read.header} is missing`)})?;`
  }
  const failure = doubleQuoted(`${read.header} is malformed`)
  return lines(
    `    let value = ${get}.ok_or(${doubleQuoted(`${read.header} is missing`)})?;`,
    ...cuts(read, failure).map((cut) => `    ${cut}`),
  )
}

function key(plan: Plan): string {
  const expectation = `"WEBHOOK_SECRET is not a signing secret"`
  const decoded = {
    utf8: 'secret.as_bytes().to_vec()',
    hex: `from_hex(secret).expect(${expectation})`,
    base64: `STANDARD.decode(secret).expect(${expectation})`,
  }
  return lines(
    'fn signing_key() -> Vec<u8> {',
    '    let secret = std::env::var("WEBHOOK_SECRET").expect("WEBHOOK_SECRET is not set");',
    hasPrefix(plan)
      ? `    let secret = secret.strip_prefix(${doubleQuoted(plan.secretPrefix)}).expect(${doubleQuoted(`WEBHOOK_SECRET does not start with ${plan.secretPrefix}`)});`
      : null,
    `    // ${keyComment(plan)}`,
    `    let key = ${plan.key === 'utf8' || hasPrefix(plan) ? decoded[plan.key] : decoded[plan.key].replace('(secret)', '(&secret)')};`,
    '    assert!(!key.is_empty(), "WEBHOOK_SECRET is empty");',
    '    key',
    '}',
  )
}

const FROM_HEX = `fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || text.len() % 2 != 0 {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}`

const inFormat = (text: string) => doubleQuoted(text).slice(1, -1).replaceAll(/[{}]/g, '$&$&')

/** The bytes of a signature as it was sent; `None`: it is not written like one. */
function givenMac({ before, after, encoding }: Plan): string {
  const decoded = (text: string) =>
    encoding === 'hex' ? `from_hex(${text})` : `STANDARD.decode(${text}).ok()`
  const [first, ...others] = [
    ...(before === '' ? [] : [`strip_prefix(${doubleQuoted(before)})`]),
    ...(after === '' ? [] : [`strip_suffix(${doubleQuoted(after)})`]),
  ]
  if (first === undefined) return decoded('entry')
  const cut = others.map((step) => `.and_then(|text| text.${step})`).join('')
  return `entry.${first}${cut}.and_then(|text| ${decoded('text')})`
}

function check(plan: Plan): string {
  const { time, signed, hash, join } = plan
  const given = givenMac(plan)
  return lines(
    '/// Says why a request is rejected. The names of headers are in lower case.',
    "fn verify(headers: &HashMap<String, String>, body: &[u8], key: &[u8]) -> Result<(), &'static str> {",
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          '    let signed_at: u64 = timestamp.parse().map_err(|_| "the timestamp is not a number")?;',
          '    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock is wrong")?.as_secs();',
          '    if now.abs_diff(signed_at) > TOLERANCE_SECONDS {',
          `        return Err("${OLD}");`,
          '    }',
        ),
    `    let mut mac = Hmac::<${hash === 'sha256' ? 'Sha256' : 'Sha512'}>::new_from_slice(key).map_err(|_| "the key is unusable")?;`,
    signed.length === 0
      ? null
      : `    mac.update(format!("${interpolated(plan, (field) => `{${snake(field)}}`, inFormat)}").as_bytes());`,
    '    mac.update(body);',
    join === null ? null : `    // ${SEVERAL}`,
    join === null
      ? '    let entry = signatures;'
      : `    for entry in signatures.split(${doubleQuoted(join)}) {`,
    ...(join === null
      ? [
          `    let given = ${given}.ok_or("${NO_MATCH}")?;`,
          `    // Compares in constant time.`,
          `    mac.verify_slice(&given).map_err(|_| "${NO_MATCH}")`,
        ]
      : [
          `        let Some(given) = ${given} else { continue };`,
          '        // Compares in constant time.',
          '        if mac.clone().verify_slice(&given).is_ok() {',
          '            return Ok(());',
          '        }',
          '    }',
          `    Err("${NO_MATCH}")`,
        ]),
    '}',
  )
}

const SERVER = (
  logged: string,
) => `/// Reads one request. Rust has no HTTP server of its own: this one is for trying it out.
fn read_request(stream: &TcpStream) -> Option<(HashMap<String, String>, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut limited = (&mut reader).take(MAX_HEAD_BYTES);
    while !head.ends_with("\\r\\n\\r\\n") {
        if limited.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let headers: HashMap<String, String> = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_string()))
        .collect();
    // ${RAW}
    let length: usize = headers.get("content-length")?.parse().ok()?;
    if length > MAX_BODY_BYTES {
        return None;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((headers, body))
}

fn receive(mut stream: TcpStream, key: &[u8]) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let (status, text) = match read_request(&stream) {
        None => ("400 Bad Request", "the request cannot be read, or its body is too large"),
        Some((headers, body)) => match verify(&headers, &body, key) {
            Err(reason) => {
                eprintln!("rejected: {reason}");
                ("400 Bad Request", reason)
            }
            Ok(()) => {
                // Rust has no JSON parser of its own: give the body to serde_json.
                // ${AFTERWARDS}
                ${logged}
                ("200 OK", "")
            }
        },
    };
    let answer = format!("HTTP/1.1 {status}\\r\\ncontent-length: {}\\r\\nconnection: close\\r\\n\\r\\n{text}", text.len());
    let _ = stream.write_all(answer.as_bytes());
}

fn main() {
    let key = signing_key();
    let port = std::env::var("PORT").unwrap_or("3000".to_string());
    let listener = TcpListener::bind(format!("0.0.0.0:{port}")).expect("the port is free");
    for stream in listener.incoming().flatten() {
        let key = key.clone();
        thread::spawn(move || receive(stream, &key));
    }
}`

function program(plan: Plan): string {
  const { key: form, encoding, hash, time } = plan
  const usesHex = form === 'hex' || encoding === 'hex'
  const usesBase64 = form === 'base64' || encoding === 'base64'
  const names = loggedHeaders(plan).map((name) => doubleQuoted(name.toLowerCase()))
  const values = [
    ...names.map((name) => `headers.get(${name}).map_or("", |id| id)`),
    'String::from_utf8_lossy(&body)',
  ]
  const logged = `println!("verified ${values.map(() => '{}').join(' ')}", ${values.join(', ')});`
  return `${lines(
    usesBase64 ? 'use base64::{engine::general_purpose::STANDARD, Engine};' : null,
    'use hmac::{Hmac, Mac};',
    `use sha2::${hash === 'sha256' ? 'Sha256' : 'Sha512'};`,
    'use std::collections::HashMap;',
    'use std::io::{BufRead, BufReader, Read, Write};',
    'use std::net::{TcpListener, TcpStream};',
    'use std::thread;',
    time === null ? 'use std::time::Duration;' : 'use std::time::{Duration, SystemTime, UNIX_EPOCH};',
    '',
    'const MAX_HEAD_BYTES: u64 = 65_536;',
    'const MAX_BODY_BYTES: usize = 1_048_576;',
    time === null ? null : 'const TOLERANCE_SECONDS: u64 = 300;',
    '',
    key(plan),
    '',
    usesHex ? `${FROM_HEX}\n` : null,
    check(plan),
    '',
    SERVER(logged),
  )}\n`
}

export const rust: Language = {
  id: 'rust',
  name: 'Rust',
  colors: 'rust',
  needs: 'Rust 1.75 or later, with the crates `hmac`, `sha2` and `base64`.',
  frameworks:
    'In axum, take `headers: HeaderMap, body: Bytes`. Call `verify` with a `HashMap` of the headers, whose keys are the names in lower case. In actix-web, take `request: HttpRequest, body: web::Bytes`.',
  setup: ['cargo new receiver && cd receiver', 'cargo add hmac@0.12 sha2@0.10 base64@0.22'],
  file: 'src/main.rs',
  run: 'cargo run --release',
  cannot: ({ time }) =>
    time === 'timestamp:iso'
      ? "This service signs its time as a date in ISO 8601, which Rust's standard library cannot read. Follow another language's program, with a crate such as chrono."
      : null,
  program,
}
