import { environmentName, runWith, type Snippet } from './snippet.ts'
import type { Found, Verification } from './verification.ts'

const code = (check: string, seen: string) => `<?php
declare(strict_types=1);

const MAX_BODY_BYTES = 1_048_576;
// Until all has gone well: where PHP shows its errors, it answers 200 with them.
http_response_code(500);
${check}
// The raw bytes: a body that was parsed and written again does not verify.
$body = file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
if ($body === false || strlen($body) > MAX_BODY_BYTES) {
    http_response_code(413);
    exit;
}
$reason = refusal($_SERVER, $body);
if ($reason !== null) {
    error_log("refused: $reason");
    http_response_code(400);
    exit($reason);
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// The same event can come twice: skip those whose id you have seen. Answer first, work later.
error_log(${seen});
http_response_code(204);
`

const STANDARD = `const TOLERANCE_SECONDS = 300;

/** What is wrong; null when these bytes were signed with the secret, at most 5 minutes ago. */
function refusal(array $server, string $body): ?string
{
    // The key is what follows "whsec_", in base64.
    $secret = preg_replace('/^whsec_/', '', (string) getenv('WEBHOOK_SECRET'));
    $key = base64_decode($secret, true);
    if ($key === false || $key === '') {
        throw new RuntimeException('WEBHOOK_SECRET is not a signing secret');
    }
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
        return 'webhook-timestamp is missing or not a number';
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return 'webhook-timestamp is more than 5 minutes off';
    }
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    // While a secret is being replaced there are two signatures, with a space between them.
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $entry) {
        if (hash_equals($expected, $entry)) {
            return null;
        }
    }
    return 'no signature matches: check WEBHOOK_SECRET';
}
`

const hex = (header: string) => `
/** What is wrong; null when these bytes were signed with the secret. */
function refusal(array $server, string $body): ?string
{
    $key = (string) getenv('WEBHOOK_SECRET');
    if ($key === '') {
        throw new RuntimeException('WEBHOOK_SECRET is not set');
    }
    $expected = 'sha256=' . hash_hmac('sha256', $body, $key);
    if (hash_equals($expected, $server['${environmentName(header)}'] ?? '')) {
        return null;
    }
    return 'the signature does not match: check WEBHOOK_SECRET';
}
`

const expression = (found: Found): string =>
  found.in === 'header'
    ? `$_SERVER['${environmentName(found.name)}']`
    : `$event${found.path.map((step) => `['${step}']`).join('')}`

/** The data is last, and the only thing that is no text. */
function log({ logged }: Verification): string {
  const texts = logged.slice(0, -1).map((found) => `{${expression(found)}} `)
  return `"verified ${texts.join('')}" . json_encode(${expression(logged.at(-1)!)})`
}

export const php = (verification: Verification): Snippet => ({
  language: 'php',
  label: 'PHP',
  note: 'PHP 8.0 or later, and nothing else. In Laravel the raw body is $request->getContent().',
  install: null,
  file: 'receiver.php',
  code: code(
    verification.kind === 'standard' ? STANDARD : hex(verification.signatureHeader),
    log(verification),
  ),
  run: runWith(verification, 'php -S localhost:3000 receiver.php'),
})
