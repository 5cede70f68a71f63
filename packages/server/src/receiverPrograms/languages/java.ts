import {
  AFTERWARDS,
  camel,
  doubleQuoted,
  hasPrefix,
  hasTemplate,
  keyComment,
  lines,
  loggedHeaders,
  NO_MATCH,
  OLD,
  patternOf,
  RAW,
  SEVERAL,
  sum,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Plan, Reading } from '../plan.ts'

const patternName = ({ fields }: Reading) =>
  `${camel(fields[0]!).replace(/[A-Z]/g, '_$&').toUpperCase()}_PATTERN`

function reading(read: Reading): string {
  const value = `headers.getFirst(${doubleQuoted(read.header)})`
  if (!hasTemplate(read)) {
    const name = camel(read.fields[0]!)
    return lines(
      `        String ${name} = ${value};`,
      `        if (${name} == null) return ${doubleQuoted(`${read.header} is missing`)};`,
    )
  }
  const found = `${camel(read.fields[0]!)}Match`
  return lines(
    `        Matcher ${found} = ${patternName(read)}.matcher(Objects.requireNonNullElse(${value}, ""));`,
    `        if (!${found}.matches()) return ${doubleQuoted(`${read.header} is missing or malformed`)};`,
    ...read.fields.map((field, i) => `        String ${camel(field)} = ${found}.group(${i + 1});`),
  )
}

const SIGNED_AT = {
  timestamp: lines(
    '        if (!timestamp.matches("[0-9]{1,12}")) return "the timestamp is not a number";',
    '        long signedAt = Long.parseLong(timestamp);',
  ),
  'timestamp:iso': lines(
    '        long signedAt;',
    '        try {',
    '            signedAt = Instant.parse(sentAt).getEpochSecond();',
    '        } catch (DateTimeParseException e) {',
    '            return "the timestamp is not a time";',
    '        }',
  ),
}

function key(plan: Plan): string {
  const rest = hasPrefix(plan) ? `secret.substring(${plan.secretPrefix.length})` : 'secret'
  const decoded = {
    utf8: 'secret.getBytes(UTF_8)',
    hex: `HexFormat.of().parseHex(${rest})`,
    base64: `Base64.getDecoder().decode(${rest})`,
  }
  return lines(
    '    static byte[] signingKey() {',
    '        String secret = System.getenv("WEBHOOK_SECRET");',
    '        if (secret == null || secret.isEmpty()) throw new IllegalStateException("WEBHOOK_SECRET is not set");',
    hasPrefix(plan)
      ? lines(
          `        if (!secret.startsWith(${doubleQuoted(plan.secretPrefix)})) {`,
          `            throw new IllegalStateException(${doubleQuoted(`WEBHOOK_SECRET does not start with ${plan.secretPrefix}`)});`,
          '        }',
        )
      : null,
    `        // ${keyComment(plan)}`,
    `        return ${decoded[plan.key]};`,
    '    }',
  )
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const algorithm = hash === 'sha256' ? 'HmacSHA256' : 'HmacSHA512'
  const signature =
    encoding === 'hex'
      ? 'HexFormat.of().formatHex(mac.doFinal(body))'
      : 'Base64.getEncoder().encodeToString(mac.doFinal(body))'
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? 'signature' : doubleQuoted(part)))
  const compare = (given: string) => `MessageDigest.isEqual(expected, ${given}.getBytes(UTF_8))`
  return lines(
    '    /** Says why a request is rejected; null if it is genuine. */',
    '    static String rejection(Headers headers, byte[] body) throws GeneralSecurityException {',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          SIGNED_AT[time],
          '        if (Math.abs(Instant.now().getEpochSecond() - signedAt) > TOLERANCE_SECONDS) {',
          `            return "${OLD}";`,
          '        }',
        ),
    `        Mac mac = Mac.getInstance("${algorithm}");`,
    `        mac.init(new SecretKeySpec(KEY, "${algorithm}"));`,
    signed.length === 0 ? null : `        mac.update((${sum(plan, camel, doubleQuoted)}).getBytes(UTF_8));`,
    `        String signature = ${signature};`,
    `        byte[] expected = (${expected.join(' + ')}).getBytes(UTF_8);`.replace(
      '(signature).getBytes',
      'signature.getBytes',
    ),
    join === null
      ? `        if (${compare('signatures')}) return null;`
      : lines(
          `        // ${SEVERAL}`,
          `        for (String entry : signatures.split(Pattern.quote(${doubleQuoted(join)}))) {`,
          `            if (${compare('entry')}) return null;`,
          '        }',
        ),
    `        return "${NO_MATCH}";`,
    '    }',
  )
}

const SERVER = (logged: string) => `    static void receive(HttpExchange exchange) throws IOException {
        // ${RAW}
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            answer(exchange, 413, "");
            return;
        }
        String reason;
        try {
            reason = rejection(exchange.getRequestHeaders(), body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        if (reason != null) {
            System.err.println("rejected: " + reason);
            answer(exchange, 400, reason);
            return;
        }
        // Java has no JSON parser of its own: give the body to the one that you use.
        // ${AFTERWARDS}
        System.out.println("verified " + ${logged});
        answer(exchange, 204, "");
    }

    static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/", Receiver::receive);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }`

function importsOf({ readings, key: form, encoding, time }: Plan): readonly string[] {
  const imports = [
    'com.sun.net.httpserver.Headers',
    'com.sun.net.httpserver.HttpExchange',
    'com.sun.net.httpserver.HttpServer',
    'java.io.IOException',
    'java.net.InetSocketAddress',
    'java.security.GeneralSecurityException',
    'java.security.MessageDigest',
    ...(time === null ? [] : ['java.time.Instant']),
    ...(time === 'timestamp:iso' ? ['java.time.format.DateTimeParseException'] : []),
    ...(form === 'base64' || encoding === 'base64' ? ['java.util.Base64'] : []),
    ...(form === 'hex' || encoding === 'hex' ? ['java.util.HexFormat'] : []),
    ...(readings.some(hasTemplate) ? ['java.util.Objects'] : []),
    'java.util.concurrent.Executors',
    ...(readings.some(hasTemplate) ? ['java.util.regex.Matcher'] : []),
  ]
  return imports
}

function program(plan: Plan): string {
  const { readings, join, time } = plan
  const patterns = readings
    .filter(hasTemplate)
    .map(
      (read) =>
        `    static final Pattern ${patternName(read)} = Pattern.compile(${doubleQuoted(patternOf(read))});`,
    )
  const usesPattern = patterns.length > 0 || join !== null
  const logged = [
    ...loggedHeaders(plan).map((name) => `exchange.getRequestHeaders().getFirst("${name}") + " "`),
  ]
  return `${lines(
    'import static java.nio.charset.StandardCharsets.UTF_8;',
    '',
    ...importsOf(plan).map((name) => `import ${name};`),
    usesPattern ? 'import java.util.regex.Pattern;' : null,
    'import javax.crypto.Mac;',
    'import javax.crypto.spec.SecretKeySpec;',
    '',
    'public class Receiver {',
    '    static final int MAX_BODY_BYTES = 1_048_576;',
    time === null ? null : '    static final long TOLERANCE_SECONDS = 300;',
    '    static final byte[] KEY = signingKey();',
    ...patterns,
    '',
    key(plan),
    '',
    check(plan),
    '',
    SERVER([...logged, 'new String(body, UTF_8)'].join(' + ')),
    '}',
  )}\n`
}

export const java: Language = {
  id: 'java',
  name: 'Java',
  colors: 'java',
  needs: 'You need Java 17 or later, and no libraries: the JDK has an HTTP server.',
  frameworks:
    'In Spring, take `@RequestBody byte[] body` and `@RequestHeader HttpHeaders headers`, and call `rejection(headers, body)`. Import `HttpHeaders` of Spring instead of `Headers`: it has `getFirst` too.',
  setup: [],
  file: 'Receiver.java',
  run: 'java Receiver.java',
  cannot: () => null,
  program,
}
