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

function reading(read: Reading): string {
  const value = `headers[${doubleQuoted(read.header)}]`
  if (!hasTemplate(read)) {
    const name = camel(read.fields[0]!)
    return lines(
      `        string ${name} = ${value} ?? "";`,
      `        if (${name} == "") return ${doubleQuoted(`${read.header} is missing`)};`,
    )
  }
  const found = `${camel(read.fields[0]!)}Match`
  return lines(
    `        Match ${found} = Regex.Match(${value} ?? "", ${doubleQuoted(`^${patternOf(read)}\\z`)});`,
    `        if (!${found}.Success) return ${doubleQuoted(`${read.header} is missing or malformed`)};`,
    ...read.fields.map((field, i) => `        string ${camel(field)} = ${found}.Groups[${i + 1}].Value;`),
  )
}

const SIGNED_AT = {
  timestamp: lines(
    '        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out long signedAt))',
    '            return "the timestamp is not a number";',
  ),
  'timestamp:iso': lines(
    '        if (!DateTimeOffset.TryParse(sentAt, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset sent))',
    '            return "the timestamp is not a time";',
    '        long signedAt = sent.ToUnixTimeSeconds();',
  ),
}

const HEX_KEY = `        byte[] key = new byte[secret.Length / 2];
        for (int i = 0; i < key.Length; i++) key[i] = Convert.ToByte(secret.Substring(2 * i, 2), 16);
        return key;`

function key(plan: Plan): string {
  const decoded = {
    utf8: '        return Encoding.UTF8.GetBytes(secret);',
    hex: HEX_KEY,
    base64: '        return Convert.FromBase64String(secret);',
  }
  return lines(
    '    static byte[] SigningKey()',
    '    {',
    '        string secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "";',
    '        if (secret == "") throw new InvalidOperationException("WEBHOOK_SECRET is not set");',
    hasPrefix(plan)
      ? lines(
          `        if (!secret.StartsWith(${doubleQuoted(plan.secretPrefix)}, StringComparison.Ordinal))`,
          `            throw new InvalidOperationException(${doubleQuoted(`WEBHOOK_SECRET does not start with ${plan.secretPrefix}`)});`,
          `        secret = secret.Substring(${plan.secretPrefix.length});`,
        )
      : null,
    `        // ${keyComment(plan)}`,
    decoded[plan.key],
    '    }',
  )
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const content =
    signed.length === 0
      ? 'body'
      : `Encoding.UTF8.GetBytes(${sum(plan, camel, doubleQuoted)}).Concat(body).ToArray()`
  const signature =
    encoding === 'hex'
      ? 'BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()'
      : 'Convert.ToBase64String(digest)'
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? 'signature' : doubleQuoted(part)))
  const compare = (given: string) =>
    `CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(${given}))`
  return lines(
    '    /// <summary>Says why a request is rejected; empty if it is genuine.</summary>',
    '    static string Rejection(NameValueCollection headers, byte[] body)',
    '    {',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          SIGNED_AT[time],
          '        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - signedAt) > ToleranceSeconds)',
          `            return "${OLD}";`,
        ),
    `        byte[] content = ${content};`,
    '        byte[] digest;',
    `        using (var hmac = new ${hash === 'sha256' ? 'HMACSHA256' : 'HMACSHA512'}(Key)) digest = hmac.ComputeHash(content);`,
    `        string signature = ${signature};`,
    `        byte[] expected = Encoding.UTF8.GetBytes(${expected.join(' + ')});`,
    join === null
      ? `        if (${compare('signatures')}) return "";`
      : lines(
          `        // ${SEVERAL}`,
          `        foreach (string entry in signatures.Split(new[] { ${doubleQuoted(join)} }, StringSplitOptions.None))`,
          `            if (${compare('entry')}) return "";`,
        ),
    `        return "${NO_MATCH}";`,
    '    }',
  )
}

const SERVER = (logged: string) => `    static int Receive(HttpListenerRequest request, out string text)
    {
        text = "";
        // ${RAW}
        if (request.ContentLength64 < 0 || request.ContentLength64 > MaxBodyBytes) return 413;
        byte[] body;
        using (var buffer = new MemoryStream())
        {
            request.InputStream.CopyTo(buffer);
            body = buffer.ToArray();
        }
        string reason = Rejection(request.Headers, body);
        if (reason != "")
        {
            Console.Error.WriteLine("rejected: " + reason);
            text = reason;
            return 400;
        }
        // JsonDocument.Parse(body) of System.Text.Json reads the event.
        // ${AFTERWARDS}
        Console.WriteLine("verified " + ${logged});
        return 204;
    }

    static void Answer(HttpListenerContext context)
    {
        try
        {
            context.Response.StatusCode = Receive(context.Request, out string text);
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            if (bytes.Length > 0) context.Response.OutputStream.Write(bytes, 0, bytes.Length);
            context.Response.Close();
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            context.Response.Abort();
        }
    }

    static void Main()
    {
        // On Windows, a name instead of * needs no administrator: http://localhost:3000/
        var listener = new HttpListener();
        listener.Prefixes.Add("http://*:" + (Environment.GetEnvironmentVariable("PORT") ?? "3000") + "/");
        listener.Start();
        while (true)
        {
            HttpListenerContext context = listener.GetContext();
            Task.Run(() => Answer(context));
        }
    }`

function program(plan: Plan): string {
  const { readings, time, signed } = plan
  const logged = loggedHeaders(plan).map((name) => `request.Headers["${name}"] + " "`)
  return `${lines(
    'using System;',
    'using System.Collections.Specialized;',
    time === null ? null : 'using System.Globalization;',
    'using System.IO;',
    signed.length === 0 ? null : 'using System.Linq;',
    'using System.Net;',
    'using System.Security.Cryptography;',
    'using System.Text;',
    readings.some(hasTemplate) ? 'using System.Text.RegularExpressions;' : null,
    'using System.Threading.Tasks;',
    '',
    'static class Receiver',
    '{',
    '    const int MaxBodyBytes = 1048576;',
    time === null ? null : '    const int ToleranceSeconds = 300;',
    '    static readonly byte[] Key = SigningKey();',
    '',
    key(plan),
    '',
    check(plan),
    '',
    SERVER([...logged, 'Encoding.UTF8.GetString(body)'].join(' + ')),
    '}',
  )}\n`
}

export const csharp: Language = {
  id: 'csharp',
  name: 'C#',
  colors: 'csharp',
  needs: 'You need .NET 6 or later, and no packages.',
  frameworks:
    'In ASP.NET Core, read `Request.Body` into a `MemoryStream` before the framework reads it, and call `Rejection`. Make its first parameter an `IHeaderDictionary`, and add `.ToString()` where it reads a header.',
  setup: ['dotnet new console --output receiver'],
  file: 'receiver/Program.cs',
  run: 'dotnet run --project receiver',
  cannot: () => null,
  program,
}
