import {
  AFTERWARDS,
  camel,
  environmentName,
  hasPrefix,
  hasTemplate,
  keyComment,
  lines,
  memberPath,
  NO_MATCH,
  OLD,
  patternOf,
  RAW,
  SEVERAL,
  singleQuoted,
  sum,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Field, Found, Plan, Reading } from '../plan.ts'

const variable = (field: Field) => `$${camel(field)}`
const server = (header: string) => `$server['${environmentName(header)}'] ?? ''`

function reading(read: Reading): string {
  const names = read.fields.map(variable)
  if (!hasTemplate(read)) {
    return lines(
      `    ${names[0]} = ${server(read.header)};`,
      `    if (${names[0]} === '') {`,
      `        return ${singleQuoted(`${read.header} is missing`)};`,
      '    }',
    )
  }
  return lines(
    `    if (preg_match(${singleQuoted(`/^${patternOf(read)}$/D`)}, ${server(read.header)}, $found) !== 1) {`,
    `        return ${singleQuoted(`${read.header} is missing or malformed`)};`,
    '    }',
    `    [, ${names.join(', ')}] = $found;`,
  )
}

const TIME = {
  timestamp: lines(
    "    if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {",
    "        return 'the timestamp is not a number';",
    '    }',
    '    $signedAt = (int) $timestamp;',
  ),
  'timestamp:iso': lines(
    '    $signedAt = strtotime($sentAt);',
    '    if ($signedAt === false) {',
    "        return 'the timestamp is not a time';",
    '    }',
  ),
}

function key(plan: Plan): string {
  const rest = hasPrefix(plan) ? `substr($secret, strlen(${singleQuoted(plan.secretPrefix)}))` : '$secret'
  const decoded = { utf8: '$secret', hex: `hex2bin(${rest})`, base64: `base64_decode(${rest}, true)` }
  return lines(
    '/** The key that signs; every request starts the program again. */',
    'function signingKey(): string',
    '{',
    "    $secret = (string) getenv('WEBHOOK_SECRET');",
    hasPrefix(plan)
      ? lines(
          `    if (!str_starts_with($secret, ${singleQuoted(plan.secretPrefix)})) {`,
          `        throw new RuntimeException(${singleQuoted(`WEBHOOK_SECRET is not set, or does not start with ${plan.secretPrefix}`)});`,
          '    }',
        )
      : null,
    `    // ${keyComment(plan)}`,
    `    $key = ${decoded[plan.key]};`,
    "    if ($key === false || $key === '') {",
    "        throw new RuntimeException('WEBHOOK_SECRET is not a signing secret');",
    '    }',
    '    return $key;',
    '}',
  )
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const content = signed.length === 0 ? '$body' : `${sum(plan, variable, singleQuoted, '.')} . $body`
  const signature =
    encoding === 'hex'
      ? `hash_hmac('${hash}', ${content}, signingKey())`
      : `base64_encode(hash_hmac('${hash}', ${content}, signingKey(), true))`
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? '$signature' : singleQuoted(part)))
  return lines(
    '/** Says why a request is rejected; null if it is genuine. */',
    'function rejection(array $server, string $body): ?string',
    '{',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          TIME[time],
          '    if (abs(time() - $signedAt) > TOLERANCE_SECONDS) {',
          `        return '${OLD}';`,
          '    }',
        ),
    `    $signature = ${signature};`,
    `    $expected = ${expected.join(' . ')};`,
    join === null
      ? lines('    if (hash_equals($expected, $signatures)) {', '        return null;', '    }')
      : lines(
          `    // ${SEVERAL}`,
          `    foreach (explode(${singleQuoted(join)}, $signatures) as $entry) {`,
          '        if (hash_equals($expected, $entry)) {',
          '            return null;',
          '        }',
          '    }',
        ),
    `    return '${NO_MATCH}';`,
    '}',
  )
}

const shown = (found: Found) =>
  found.in === 'header'
    ? `$_SERVER['${environmentName(found.name)}']`
    : memberPath(found, '$event', singleQuoted)

/** The data is last, and the only thing that is no text. */
function log({ logged }: Plan): string {
  const texts = logged.slice(0, -1).map((found) => `{${shown(found)}} `)
  return `"verified ${texts.join('')}" . json_encode(${shown(logged.at(-1)!)})`
}

const REQUEST = (logged: string) => `// ${RAW}
$body = file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
if ($body === false || strlen($body) > MAX_BODY_BYTES) {
    http_response_code(413);
    exit;
}
$reason = rejection($_SERVER, $body);
if ($reason !== null) {
    error_log("rejected: $reason");
    http_response_code(400);
    exit($reason);
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// ${AFTERWARDS}
error_log(${logged});
http_response_code(204);`

export const php: Language = {
  id: 'php',
  name: 'PHP',
  colors: 'php',
  needs:
    'You need PHP 8.0 or later, and no packages. The built-in server is for trying it out: use PHP-FPM or Apache in production.',
  frameworks: 'In Laravel and Symfony, call `rejection($request->server->all(), $request->getContent())`.',
  setup: [],
  file: 'receiver.php',
  run: 'php -S localhost:3000 receiver.php',
  cannot: () => null,
  program: (plan) =>
    `${lines(
      '<?php',
      'declare(strict_types=1);',
      '',
      'const MAX_BODY_BYTES = 1_048_576;',
      plan.time === null ? null : 'const TOLERANCE_SECONDS = 300;',
      '// If the program fails, PHP must not answer 200.',
      'http_response_code(500);',
      '',
      key(plan),
      '',
      check(plan),
      '',
      REQUEST(log(plan)),
    )}\n`,
}
